package influence

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// world is a search with known effects. Parameter 0 adds .15, the levels of parameter 1 add
// .10 and .05, parameters 2 and 3 add nothing, and parameters 0 and 2 together add joint on
// top of that. As in a real search, good configs are evaluated on more tasks, and configs
// also differ by an amount that no parameter explains.
func world(seed uint64, joint float64) Input {
	rng := rand.New(rand.NewPCG(seed, 7))
	in := Input{Levels: []int{2, 3, 2, 4}, Tasks: 40}
	difficulty := make([]float64, in.Tasks)
	for i := range difficulty {
		difficulty[i] = .3 * (rng.Float64() - .5)
	}
	for c := range 160 {
		levels := make([]int, len(in.Levels))
		if c > 0 {
			for p, n := range in.Levels {
				levels[p] = int(float64(n) * math.Pow(rng.Float64(), 1.4)) // later levels are rarer
			}
		}
		chance := .35 + .15*float64(levels[0]) + []float64{0, .1, .05}[levels[1]] + .04*rng.NormFloat64()
		if levels[0] == 1 && levels[2] == 1 {
			chance += joint
		}
		in.Configs = append(in.Configs, levels)
		n := 6
		if chance > .55 && rng.Float64() < .4 {
			n = in.Tasks
		}
		for _, t := range rng.Perm(in.Tasks)[:n] {
			score := 0.0
			if rng.Float64() < chance+difficulty[t] {
				score = 1
			}
			in.Trials = append(in.Trials, Trial{c, t, score})
		}
	}
	return in
}

func mainOf(r Result, param int) Main {
	return r.Mains[slices.IndexFunc(r.Mains, func(m Main) bool { return m.Param == param })]
}

// TestIntervals checks over many searches with known effects that the intervals hold their
// level, and that influence and interactions are found if they exist and are not found if
// they do not.
func TestIntervals(t *testing.T) {
	const searches = 300
	covered, spreadCovered, threeCovered, falseMain, falsePair, found, jointCovered := 0, 0, 0, 0, 0, 0, 0
	for seed := range uint64(searches) {
		r := Estimate(world(seed, 0))
		a := mainOf(r, 0)
		if c := a.Levels[1]; c.Lo <= .15 && .15 <= c.Hi {
			covered++
		}
		if a.Spread.Lo <= .075 && .075 <= a.Spread.Hi {
			spreadCovered++
		}
		if m := mainOf(r, 1).Spread; m.Lo <= .0408 && .0408 <= m.Hi {
			threeCovered++
		}
		for _, p := range []int{2, 3} {
			if mainOf(r, p).Spread.Lo > 0 {
				falseMain++
			}
		}
		if slices.ContainsFunc(r.Pairs, func(p Pair) bool { return p.Lo > 0 || p.Hi < 0 }) {
			falsePair++
		}
		with := Estimate(world(seed, .3))
		if p := with.Pairs[0]; p.First == 0 && p.Second == 2 && p.Lo > 0 {
			found++
			if p.Lo <= .3 && .3 <= p.Hi {
				jointCovered++
			}
		}
	}
	t.Logf("of %d: %d contrasts, %d spreads of two and %d of three levels covered; %d false influences of two each, %d with a false interaction; %d true ones found, %d of them covered", searches, covered, spreadCovered, threeCovered, falseMain, falsePair, found, jointCovered)
	for _, c := range []struct {
		what      string
		got, from int
		least     bool
		bound     float64
	}{
		{"a difference is covered", covered, searches, true, .93},
		{"a spread is covered", spreadCovered, searches, true, .92},
		{"a spread over three levels is covered", threeCovered, searches, true, .92},
		{"influence of a parameter without one", falseMain, 2 * searches, false, .07},
		{"an interaction where none is", falsePair, searches, false, .07},
		{"the interaction is found", found, searches, true, .85},
		{"its size is covered", jointCovered, found, true, .93},
	} {
		if share := float64(c.got) / float64(c.from); c.least && share < c.bound || !c.least && share > c.bound {
			t.Errorf("%s: %.3f, want %.2f", c.what, share, c.bound)
		}
	}
}

// TestExact compares the estimates with those for a balanced design, which are differences
// between means.
func TestExact(t *testing.T) {
	in := Input{Levels: []int{2, 2}, Tasks: 10}
	rng := rand.New(rand.NewPCG(1, 1))
	var mean [2][2]float64
	for c := range 24 {
		a, b := c%2, c/2%2
		in.Configs = append(in.Configs, []int{a, b})
		for task := range in.Tasks {
			s := .2*float64(a) + .1*float64(b) - .3*float64(a*b) + .05*float64(task) + .02*rng.NormFloat64()
			in.Trials = append(in.Trials, Trial{c, task, s})
			mean[a][b] += s / 60
		}
	}
	r := Estimate(in)
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %.9f, want %.9f", what, got, want)
		}
	}
	near("the effect of a", mainOf(r, 0).Levels[1].Difference, (mean[1][0]+mean[1][1]-mean[0][0]-mean[0][1])/2)
	near("the effect of b", mainOf(r, 1).Levels[1].Difference, (mean[0][1]+mean[1][1]-mean[0][0]-mean[1][0])/2)
	near("the interaction", r.Pairs[0].Difference, mean[1][1]-mean[1][0]-mean[0][1]+mean[0][0])
	if r.Tested != 1 {
		t.Errorf("%d interactions were tested, want 1", r.Tested)
	}
}

// TestUnjudged checks that nothing is reported that the data cannot show.
func TestUnjudged(t *testing.T) {
	few := world(1, .3)
	few.Trials = few.Trials[:30]
	if r := Estimate(few); r.Mains != nil || r.Pairs != nil {
		t.Errorf("30 evaluations show %+v", r)
	}
	// Parameter 1 is determined by parameter 0, and level 1 of parameter 2 has too few
	// configs.
	in := world(1, 0)
	for c := range in.Configs {
		in.Configs[c][1] = 2 * in.Configs[c][0]
		in.Configs[c][2] = 0
		if c < 3 {
			in.Configs[c][2] = 1
		}
	}
	r := Estimate(in)
	for _, m := range r.Mains {
		if m.Param == 1 || m.Param == 2 {
			t.Errorf("parameter %d is judged: %+v", m.Param, m)
		}
	}
	for _, p := range r.Pairs {
		if p.First != 0 || p.Second != 3 {
			t.Errorf("parameters %d and %d are judged", p.First, p.Second)
		}
	}
}
