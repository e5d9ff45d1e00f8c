package stats

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// watchedAgent draws the nights of an agent. Each task has its own probability, each night
// has a shift that its tasks share, and the scores fall from a given night on.
type watchedAgent struct {
	tasks, repeats int
	mean, spread   float64
	night          float64
	fall           float64
	from           int
	// changes is the number of nights from one harmless change of the agent to the next, or
	// 0 for no changes.
	changes int
}

func (w watchedAgent) nights(n int, rng *rand.Rand) []NightScores {
	p := make([]float64, w.tasks)
	for i := range p {
		p[i] = w.mean + w.spread*(2*rng.Float64()-1)
	}
	var out []NightScores
	for k := range n {
		shift := w.night * rng.NormFloat64()
		if k >= w.from {
			shift -= w.fall
		}
		scores := NightScores{}
		for i := range p {
			for range w.repeats {
				x := 0.
				if rng.Float64() < p[i]+shift {
					x = 1
				}
				scores[fmt.Sprint("t", i)] = append(scores[fmt.Sprint("t", i)], x)
			}
		}
		out = append(out, scores)
	}
	return out
}

// alarmed returns the first night, counted from 1, at whose end a fall is reported, or 0
// if there is none.
func (w watchedAgent) alarmed(n int, rng *rand.Rand) (at int, f Fall) {
	nights, changed := w.nights(n, rng), make([]bool, n)
	for k := w.changes; k < n && w.changes > 0; k += w.changes {
		changed[k] = true
	}
	for k := 2; k <= n; k++ {
		if f, ok := FindFall(nights[:k], changed, Nature{}); ok {
			return k, f
		}
	}
	return 0, Fall{}
}

// quietAgents are agents whose scores do not change, both at usual sizes and in difficult
// conditions: few tasks, scores near the end of the scale, scores that are all or nothing
// by task, and nights whose standard deviation is twice the one that [FindFall] assumes.
var quietAgents = []watchedAgent{
	{tasks: 3, repeats: 2, mean: .7, spread: .2, night: .02},
	{tasks: 10, repeats: 2, mean: .98, spread: .02},
	{tasks: 20, repeats: 2, mean: .7, spread: .3, night: .02},
	{tasks: 40, repeats: 2, mean: .5, spread: .5, night: .02},
	{tasks: 100, repeats: 2, mean: .7, spread: .3, night: .02},
	{tasks: 20, repeats: 2, mean: .7, spread: .3, night: .02, changes: 4},
	{tasks: 40, repeats: 2, mean: .7, spread: .3, night: .02, changes: 1},
	{tasks: 40, repeats: 2, mean: .6, spread: .3, night: .04},
}

// falseAlarms returns the share of an agent's months in which any night names a fall.
func (w watchedAgent) falseAlarms(months int) float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	alarms := 0.
	for range months {
		if at, _ := w.alarmed(WatchNights, rng); at > 0 {
			alarms++
		}
	}
	return alarms / float64(months)
}

// noticed returns how often a fall in the night after the tenth is named: the share of
// months in which it is named within 3, 7 and 14 nights. It also returns the share of
// months in which the first night of the fall is dated correctly to within a night.
func (w watchedAgent) noticed(months int) (within [3]float64, dated float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	w.from = 10
	for range months {
		at, f := w.alarmed(24, rng)
		if at <= w.from {
			continue
		}
		for i, d := range [3]int{3, 7, 14} {
			if at <= w.from+d {
				within[i] += 1 / float64(months)
			}
		}
		if f.First >= w.from-1 && f.First <= w.from+1 {
			dated += 1 / float64(months)
		}
	}
	return within, dated
}

// TestQuietNights simulates months without a change. The share of months with any alarm
// must be at most what the watch states.
func TestQuietNights(t *testing.T) {
	alarms, agents := 0., quietAgents[:6]
	for _, w := range agents {
		alarms += w.falseAlarms(15) / float64(len(agents))
	}
	if alarms > WatchLevel {
		t.Errorf("%.3f of the months have an alarm, more than %.2f", alarms, WatchLevel)
	}
}

// TestFallIsNoticed simulates falls of 20 and of 10 points.
func TestFallIsNoticed(t *testing.T) {
	for _, c := range []struct {
		watchedAgent
		within [3]float64 // at least
	}{
		{watchedAgent{tasks: 40, repeats: 2, mean: .7, spread: .25, night: .02, fall: .2}, [3]float64{.7, .9, 1}},
		{watchedAgent{tasks: 40, repeats: 2, mean: .7, spread: .25, night: .02, fall: .1}, [3]float64{0, .1, .4}},
		{watchedAgent{tasks: 10, repeats: 2, mean: .7, spread: .25, night: .02, fall: .2}, [3]float64{0, .1, .4}},
	} {
		within, dated := c.noticed(10)
		for i := range within {
			if within[i] < c.within[i]-1e-9 {
				t.Errorf("a fall of %.2f on %d tasks is named in %v of the months, want %v", c.fall, c.tasks, within, c.within)
				break
			}
		}
		if dated < .6*within[2] {
			t.Errorf("a fall of %.2f on %d tasks has the right night in %.2f of the months", c.fall, c.tasks, dated)
		}
	}
}

// TestFallAfterImprovement tests that a fall is reported in its first night even if the
// agent was improved shortly before, and that the nights compared with it are those of
// the improved agent.
func TestFallAfterImprovement(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	night := func(mean float64) NightScores {
		return watchedAgent{tasks: 10, repeats: 2, mean: mean}.nights(1, rng)[0]
	}
	changed := []bool{false, false, true, false, true}
	for range 20 {
		nights := []NightScores{night(.7), night(.7), night(1), night(1), night(.3)}
		f, ok := FindFall(nights, changed, Nature{})
		if !ok || f.First != 4 || f.Before != 1 || f.BeforeNights != 2 {
			t.Fatalf("the fall is %+v, %v", f, ok)
		}
		if f, ok := FindFall(append(nights, night(.3)), append(changed, false), Nature{}); !ok || f.Before != 1 {
			t.Fatalf("in the next night the fall is %+v, %v", f, ok)
		}
		if f, ok := FindFall(append(nights, night(1), night(1)), append(changed, true, false), Nature{}); ok {
			t.Fatalf("after the recovery there is %+v", f)
		}
	}
}

// TestQuietAdoption simulates the month after an adoption whose prediction comes true:
// the true gain is the lower end of the predicted interval.
func TestQuietAdoption(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const months = 60
	alarms, _ := adoptions(watchedAgent{tasks: 20, repeats: 2, mean: .5, spread: .3, night: .02, fall: -.1, from: 6}, months, false, rng)
	t.Logf("a good adoption: %.3f of the months have an alarm", alarms)
	if alarms > WatchLevel {
		t.Errorf("%.3f of the months after a good adoption have an alarm, more than %.2f", alarms, WatchLevel)
	}
	if stays, _ := adoptions(watchedAgent{tasks: 20, repeats: 2, mean: .5, spread: .3, night: .02, fall: -.1, from: 6}, months, true, rand.New(rand.NewPCG(5, 6))); stays != alarms {
		t.Errorf("%.3f of the months have an alarm that stays, %.3f any", stays, alarms)
	}
}

// TestAdviceStays simulates the months after adoptions that lose a little. Evidence that
// has once been reached remains valid, so the advice stays. If each night were judged by
// itself, the advice would be withdrawn in many months.
func TestAdviceStays(t *testing.T) {
	w := watchedAgent{tasks: 20, repeats: 2, mean: .6, spread: .3, night: .02, fall: .12, from: 6}
	alarms, gone := adoptions(w, 20, false, rand.New(rand.NewPCG(5, 6)))
	kept, lost := adoptions(w, 20, true, rand.New(rand.NewPCG(5, 6)))
	t.Logf("an adoption that loses 12 points: %.2f of the months have an alarm; it is taken back in %.2f, and in %.2f where it stays", alarms, gone, lost)
	if kept != alarms || gone < .1 || lost > 0 {
		t.Errorf("alarms in %.2f and %.2f of the months, taken back in %.2f and %.2f", alarms, kept, gone, lost)
	}
}

// TestSustains tests that evidence, once reached, ends only with a later night that shows
// the contrary.
func TestSustains(t *testing.T) {
	predicted := &Interval{Lo: .1, Hi: .3}
	for _, c := range []struct {
		lo           float64
		predicted    *Interval
		worse, below bool
	}{
		{-.2, predicted, true, true},
		{.01, predicted, false, true},
		{.1, predicted, false, false},
		{-.2, nil, true, false},
	} {
		got := Adopted{Shift: Shift{Lo: c.lo}}.Sustains(Adopted{Worse: true, Below: true, Upper: .05}, c.predicted)
		if got.Worse != c.worse || got.Below != c.below || got.Upper != .05 {
			t.Errorf("from %g on: %+v", c.lo, got)
		}
	}
}

// adoptions returns the share of months after an adoption of w in which any night raises
// an alarm, and the share in which a later night withdraws the alarm. If stays is set,
// evidence is sustained as by [Adopted.Sustains].
func adoptions(w watchedAgent, months int, stays bool, rng *rand.Rand) (alarms, gone float64) {
	for range months {
		nights := w.nights(30, rng)
		var held *Adopted
		raised, taken := false, false
		predicted := &Interval{Lo: .1, Hi: .3}
		for k := 7; k <= 30; k++ {
			a, ok := CompareAdopted(nights[:6], nights[6:k], predicted, Nature{})
			if !ok {
				continue
			}
			now := a.Disappoints()
			if stays && held != nil {
				s := a.Sustains(*held, predicted)
				now, held = now || s.Disappoints(), &s
			}
			if a.Disappoints() && (held == nil || !held.Disappoints()) {
				held = &a
			}
			taken = taken || raised && !now
			raised = raised || now
		}
		if raised {
			alarms += 1 / float64(months)
		}
		if taken {
			gone += 1 / float64(months)
		}
	}
	return alarms, gone
}

// BenchmarkWatch reports the rate of false alarms per month and the power at usual sizes.
// Run it with -benchtime=1x.
func BenchmarkWatch(b *testing.B) {
	const months = 200
	for range b.N {
		for _, w := range quietAgents {
			b.Logf("no change: %3d tasks × %d, mean %.2f ± %.2f, night %.2f, a harmless change every %d nights: %.3f of the months have an alarm", w.tasks, w.repeats, w.mean, w.spread, w.night, w.changes, w.falseAlarms(months))
		}
		for _, fall := range []float64{.1, .2} {
			for _, tasks := range []int{3, 10, 20, 40, 100} {
				within, dated := watchedAgent{tasks: tasks, repeats: 2, mean: .7, spread: .25, night: .02, fall: fall}.noticed(months / 2)
				b.Logf("fall of %.0f points on %3d tasks × 2: named within 3, 7, 14 nights %.2f %.2f %.2f, dated right %.2f", 100*fall, tasks, within[0], within[1], within[2], dated)
			}
		}
	}
}
