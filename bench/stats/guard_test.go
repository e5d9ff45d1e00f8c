package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestGuard(t *testing.T) {
	ones := func(n int) []float64 { return slices.Repeat([]float64{1}, n) }
	times := func(n int, f float64) []float64 { return slices.Repeat([]float64{f}, n) }
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name     string
		a, b     []float64
		verdict  string
		lo, hi   float64 // where the ratio must lie
		evidence int     // its sign
	}{
		{"nothing measured", nil, nil, GuardOpen, 1, 1, 0},
		{"equal, but few", ones(20), ones(20), GuardOpen, 1, 1, 1},
		{"equal", ones(200), ones(200), GuardPassed, 1, 1, 1},
		{"half the cost", ones(40), times(40, .5), GuardPassed, .499, .501, 1},
		{"at the limit", ones(200), times(200, 1.1), GuardOpen, 1.099, 1.101, 0},
		{"a fifth more", ones(2000), times(2000, 1.2), GuardFailed, 1.199, 1.201, -1},
		{"twice", ones(30), times(30, 2), GuardFailed, 1.999, 2.001, -1},
		{"a thousand times counts as four", ones(30), times(30, 1000), GuardFailed, 3.999, 4.001, -1},
		{"free against free", make([]float64, 200), make([]float64, 200), GuardPassed, 1, 1, 1},
		{"no longer free", make([]float64, 30), ones(30), GuardFailed, 3.999, 4.001, -1},
		{"free at last", ones(30), make([]float64, 30), GuardPassed, .249, .251, 1},
		{"not a number", []float64{1, nan, inf, -1, 1}, []float64{nan, 1, 1, 1, inf}, GuardOpen, 1, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewGuard("cost", c.a, c.b)
			if g.Verdict != c.verdict || g.Ratio < c.lo || g.Ratio > c.hi || g.LogE*float64(c.evidence) < 0 || math.IsNaN(g.LogE) {
				t.Errorf("%+v", g)
			}
			if g.Lo > g.Ratio+1e-12 || g.Hi < g.Ratio-1e-12 || g.Lo < .25-1e-12 || g.Hi > 4+1e-12 {
				t.Errorf("interval %v around %g", g.Interval, g.Ratio)
			}
		})
	}
}

func TestGuardProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cost := rapid.SliceOfN(rapid.Float64Range(.001, 10), 1, 60)
		a, b := cost.Draw(t, "a"), cost.Draw(t, "b")
		g, mirrored := NewGuard("cost", a, b), NewGuard("cost", b, a)
		if math.Abs(g.Ratio*mirrored.Ratio-1) > 1e-9 || math.Abs(g.Lo*mirrored.Hi-1) > 1e-6 {
			t.Fatalf("mirrored: %+v, %+v", g, mirrored)
		}
		// The verdict is what the interval says.
		if (g.Verdict == GuardPassed) != (g.Hi <= g.Most) && math.Abs(g.Hi-g.Most) > 1e-6 || (g.Verdict == GuardFailed) != (g.Lo >= g.Most) && math.Abs(g.Lo-g.Most) > 1e-6 {
			t.Fatalf("%+v", g)
		}
		// The unit of money does not matter.
		for i := range a {
			a[i] *= 83
		}
		for i := range b {
			b[i] *= 83
		}
		if cents := NewGuard("cost", a, b); math.Abs(cents.LogE-g.LogE) > 1e-6 {
			t.Fatalf("in another currency: %+v, %+v", g, cents)
		}
	})
}

// TestGuardIsProof: a candidate that costs 10 % more than the champion passes in at most 5 % of all
// looks after every block.
func TestGuardIsProof(t *testing.T) {
	const runs = 160
	rng := rand.New(rand.NewPCG(6, 1))
	passed, open := 0, 0
	for range runs {
		var a, b []float64
		ever := false
		for range 8 {
			for range 10 {
				a = append(a, math.Exp(.3*rng.NormFloat64()))
				b = append(b, 1.1*math.Exp(.3*rng.NormFloat64()))
			}
			ever = ever || NewGuard("cost", a, b).Verdict == GuardPassed
		}
		passed += btoi(ever)
		open += btoi(NewGuard("cost", a, b).Verdict == GuardOpen)
	}
	if passed > runs*5/100+8 || open < runs*9/10 {
		t.Errorf("%d of %d pass at some time, %d are open in the end", passed, runs, open)
	}
}
