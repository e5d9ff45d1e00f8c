package limits

import "time"

// Meter measures an agent's pace from its evaluations. The pace from earlier runs counts
// like the first few evaluations, and evaluations count less as they get older.
type Meter struct {
	parallel int
	// Sums over the evaluations, each weighted by its age. searched and wall cover the
	// evaluations whose wall time includes the time that the search spends computing.
	searched, wall  float64
	made, took, usd float64
	// seen is the unweighted number of evaluations made tonight.
	seen int
}

// keep is the smallest factor by which a single call of the function age multiplies the
// weight of older evaluations.
const keep = .8

// NewMeter returns a Meter that starts with the pace from earlier runs, which counts like
// one round of parallel evaluations.
func NewMeter(before Pace, parallel int) *Meter {
	m := &Meter{parallel: max(1, parallel)}
	if before.Weight > 0 {
		w := min(before.Weight, float64(m.parallel))
		m.searched, m.wall = w, w*before.Seconds
		m.made, m.took, m.usd = w, w*before.Alone*float64(m.parallel), w*before.USD
	}
	return m
}

// Add adds evaluations with their total duration and total cost.
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

// Elapse adds the wall time that a search took to make evaluations.
func (m *Meter) Elapse(made int, wall time.Duration) {
	if made <= 0 {
		return
	}
	m.age(&m.searched, float64(made), &m.wall)
	m.searched += float64(made)
	m.wall += wall.Seconds()
}

// age reduces the weight of older evaluations according to the number of new ones.
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

// Made returns the unweighted number of evaluations made tonight.
func (m *Meter) Made() int { return m.seen }

// Pace returns the measured pace.
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
