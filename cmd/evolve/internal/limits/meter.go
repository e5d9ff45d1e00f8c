package limits

import "time"

// Meter learns an agent's pace from its evaluations: what an earlier night knew counts
// like the first few, and what lies back counts less and less.
type Meter struct {
	parallel int
	// Sums over evaluations that were made, each weighted by its age; searched are those
	// whose wall time is known with the thinking of the search.
	searched, wall  float64
	made, took, usd float64
	// seen is the number of evaluations made tonight, without any weight.
	seen int
}

// keep is what evaluations are still worth after as many again as half of them.
const keep = .8

// NewMeter starts with what was known before, which counts like one round of parallel
// evaluations.
func NewMeter(before Pace, parallel int) *Meter {
	m := &Meter{parallel: max(1, parallel)}
	if before.Weight > 0 {
		w := min(before.Weight, float64(m.parallel))
		m.searched, m.wall = w, w*before.Seconds
		m.made, m.took, m.usd = w, w*before.Alone*float64(m.parallel), w*before.USD
	}
	return m
}

// Add takes evaluations that were made: how long each took in all and what they cost.
func (m *Meter) Add(made int, took time.Duration, usd float64) {
	if made <= 0 {
		return
	}
	m.age(&m.made, float64(made), &m.took, &m.usd)
	m.made += float64(made)
	m.took += took.Seconds()
	m.usd += usd
	m.seen += made
}

// Elapse takes the wall time in which a search had so many evaluations made.
func (m *Meter) Elapse(made int, wall time.Duration) {
	if made <= 0 {
		return
	}
	m.age(&m.searched, float64(made), &m.wall)
	m.searched += float64(made)
	m.wall += wall.Seconds()
}

// age takes weight from what is known, by what comes beside it.
func (m *Meter) age(count *float64, more float64, sums ...*float64) {
	if *count <= 0 {
		return
	}
	f := max(keep, 1 - .4*more / *count)
	*count *= f
	for _, s := range sums {
		*s *= f
	}
}

// Made is the number of evaluations made tonight.
func (m *Meter) Made() int { return m.seen }

// Pace is what is known.
func (m *Meter) Pace() Pace {
	p := Pace{Weight: m.made}
	if m.made > 0 {
		p.Alone, p.USD = m.took/m.made/float64(m.parallel), m.usd/m.made
	}
	p.Seconds = p.Alone
	if m.searched > 0 {
		p.Seconds = max(p.Alone, m.wall/m.searched)
	}
	return p
}
