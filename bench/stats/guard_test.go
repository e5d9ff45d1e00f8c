package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// billed returns pairs whose metric is given per task for the champion and the candidate.
func billed(metric string, a, b []float64) []Pair {
	out := make([]Pair, min(len(a), len(b)))
	for i := range out {
		out[i] = Pair{Task: "t" + strconv.Itoa(1000+i), A: []float64{0}, B: []float64{1}}
		switch metric {
		case Cost:
			out[i].CostA, out[i].CostB = a[i:i+1], b[i:i+1]
		case Latency:
			out[i].LatencyA, out[i].LatencyB = a[i:i+1], b[i:i+1]
		default:
			out[i].Other = map[string]Measured{metric: {a[i : i+1], b[i : i+1]}}
		}
	}
	return out
}

func TestGuard(t *testing.T) {
	all := func(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }
	some := func(n int, v float64, k int, other float64) []float64 { return append(all(n-k, v), all(k, other)...) }
	inf, nan := math.Inf(1), math.NaN()
	cost := Bound{Name: Cost, Of: Mean, AtMost: 1.1, Floor: .00005}
	latency := Bound{Name: Latency, Of: P95, AtMost: 1.1, Floor: .05}
	for _, c := range []struct {
		name    string
		bound   Bound
		a, b    []float64
		verdict string
		broken  bool
		lo, hi  float64 // range of the ratio
	}{
		{"nothing measured", cost, nil, nil, GuardOpen, false, 1, 1},
		{"one task", cost, all(1, 1), all(1, 3), GuardOpen, true, 3, 3},
		{"equal", cost, all(20, 1), all(20, 1), GuardPassed, false, 1, 1},
		{"half", cost, all(20, 1), all(20, .5), GuardPassed, false, .5, .5},
		{"at the limit", cost, all(40, 1), all(40, 1.1), GuardPassed, false, 1.1, 1.1},
		{"a fifth more", cost, all(40, 1), all(40, 1.2), GuardFailed, true, 1.2, 1.2},
		{"four times", cost, all(8, .01), all(8, .04), GuardFailed, true, 4, 4},
		{"four times next to nothing", cost, all(40, .00001), all(40, .00004), GuardPassed, false, 4, 4},
		{"two tasks in forty at forty times", cost, all(40, .01), some(40, .01, 2, .4), GuardFailed, true, 2.95, 2.95},
		{"one task in forty at forty times", cost, all(40, .01), some(40, .01, 1, .4), GuardOpen, true, 1.975, 1.975},
		{"free against free", cost, all(40, 0), all(40, 0), GuardPassed, false, 1, 1},
		{"no longer free", cost, all(40, 0), all(40, 1), GuardFailed, true, RatioMost, RatioMost},
		{"free at last", cost, all(40, 1), all(40, 0), GuardPassed, false, 0, 0},
		{"not a number", cost, []float64{1, nan, inf, -1, 1}, []float64{nan, 1, 1, 1, inf}, GuardOpen, false, 1, 1},
		{"456 to 536 µs", latency, all(40, 456e-6), all(40, 536e-6), GuardPassed, false, 1.17, 1.18},
		{"of few clusters, within the floor", latency, all(4, .02), all(4, .045), GuardPassed, false, 2.2, 2.3},
		{"of few clusters, beyond it", latency, all(4, .02), all(4, .2), GuardOpen, false, 9.9, 10.1},
		{"34 to 34 µs", latency, some(40, 34e-6, 4, 60e-6), some(40, 34e-6, 3, 900e-6), GuardPassed, false, 14, 16},
		{"twice the seconds", latency, all(40, 2), all(40, 4), GuardFailed, true, 2, 2},
		{"the median alone is slower", latency, some(40, 1, 4, 9), some(40, 2, 4, 9), GuardOpen, false, 1, 1},
		{"slow in one task of twenty", latency, all(40, 1), some(40, 1, 2, 9), GuardOpen, false, 1, 1},
		{"slow in one task of five", latency, all(40, 1), some(40, 1, 8, 9), GuardFailed, true, 9, 9},
		{"three tasks", latency, all(3, 1), all(3, 9), GuardOpen, false, 9, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewGuard(c.bound, billed(c.bound.Name, c.a, c.b))
			if g.Verdict != c.verdict || g.Broken() != c.broken || g.Ratio < c.lo-1e-9 || g.Ratio > c.hi+1e-9 {
				t.Errorf("broken %v: %+v", g.Broken(), g)
			}
			if g.Lo > g.Ratio+1e-12 || g.Hi < g.Ratio-1e-12 || g.Lo < 0 || g.Hi > RatioMost {
				t.Errorf("interval %v around %g", g.Interval, g.Ratio)
			}
		})
	}
}

// TestGuardProperties checks that neither the unit of money nor the order of tasks matters.
func TestGuardProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.SliceOfN(rapid.Float64Range(.001, 10), 1, 40)
		a, b := amount.Draw(t, "a"), amount.Draw(t, "b")
		of := rapid.SampledFrom([]string{Mean, P95}).Draw(t, "of")
		bound := Bound{Name: "tokens", Of: of, AtMost: 1.1, Floor: .25}
		pairs := billed("tokens", a, b)
		g := NewGuard(bound, pairs)
		slices.Reverse(pairs)
		if r := NewGuard(bound, pairs); r != g {
			t.Fatalf("another order: %+v, %+v", g, r)
		}
		const unit = 64
		for _, p := range pairs {
			p.Other["tokens"].A[0] *= unit
			p.Other["tokens"].B[0] *= unit
		}
		bound.Floor *= unit
		if r := NewGuard(bound, pairs); r.Verdict != g.Verdict || math.Abs(r.Lo-g.Lo) > 1e-6*g.Lo || math.Abs(r.Hi-g.Hi) > 1e-6*g.Hi {
			t.Fatalf("another unit: %+v, %+v", g, r)
		}
	})
}

// TestGuardErrors counts, over simulated entries of 40 tasks and 3 blocks, how often a
// guard fails and how often it passes if the true ratio over new tasks is at the bound.
// It also counts how often the guard fails if the ratio is 60 % above the bound.
func TestGuardErrors(t *testing.T) {
	const entries, tasks, blocks = 400, 40, 3
	for _, c := range []struct {
		name       string
		bound      Bound
		draw       func(*rand.Rand) (task, interaction float64)
		noise      float64
		fail, pass float64 // maximum rates if the ratio is at the bound
		power      float64 // minimum rate if the ratio is 60 % above the bound
	}{
		{"cost, even tasks", Bound{Name: Cost, Of: Mean, AtMost: 1.1}, lognormal(.3, .1), .2, .08, .09, .95},
		{"cost, uneven tasks", Bound{Name: Cost, Of: Mean, AtMost: 1.1}, lognormal(1, .3), .3, .08, .17, .6},
		{"cost, one in twenty forty times", Bound{Name: Cost, Of: Mean, AtMost: 1.1}, rarely(.05, 40), .1, .08, .17, .02},
		{"latency", Bound{Name: Latency, Of: P95, AtMost: 1.1}, lognormal(.5, .1), .2, .1, .13, .6},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(9, 2))
			rate := func(ratio float64) (failed, passed float64) {
				for range entries {
					f, p := entryOf(rng, c.bound, c.draw, c.noise, ratio, tasks, blocks)
					failed, passed = failed+float64(btoi(f))/entries, passed+float64(btoi(p))/entries
				}
				return failed, passed
			}
			failed, passed := rate(1.1)
			power, _ := rate(1.1 * 1.6)
			t.Logf("at the bound %.3f fail and %.3f pass; 60 %% above it %.3f fail", failed, passed, power)
			if failed > c.fail || passed > c.pass || power < c.power {
				t.Errorf("want at most %g, at most %g, at least %g", c.fail, c.pass, c.power)
			}
		})
	}
}

// entryOf simulates one entry with the given true ratio over new tasks, and reports
// whether its guard failed and whether it passed.
func entryOf(rng *rand.Rand, bound Bound, draw func(*rand.Rand) (float64, float64), noise, ratio float64, tasks, blocks int) (failed, passed bool) {
	pairs := make([]Pair, tasks)
	level, change := make([]float64, tasks), make([]float64, tasks)
	for i := range pairs {
		pairs[i] = Pair{Task: "t" + strconv.Itoa(i)}
		level[i], change[i] = draw(rng)
	}
	luck := func() float64 { return math.Exp(noise*rng.NormFloat64() - noise*noise/2) }
	for range blocks {
		for i := range pairs {
			p := &pairs[i]
			a, b := level[i]*luck(), level[i]*ratio*change[i]*luck()
			p.A, p.B = append(p.A, 0), append(p.B, 1)
			p.CostA, p.CostB = append(p.CostA, a), append(p.CostB, b)
			p.LatencyA, p.LatencyB = p.CostA, p.CostB
		}
	}
	g := NewGuard(bound, pairs)
	return g.Verdict == GuardFailed, g.Verdict == GuardPassed
}

// lognormal draws tasks whose levels and changes have a mean of 1 and these logarithmic
// spreads.
func lognormal(spread, interaction float64) func(*rand.Rand) (float64, float64) {
	return func(rng *rand.Rand) (float64, float64) {
		return math.Exp(spread*rng.NormFloat64() - spread*spread/2), math.Exp(interaction*rng.NormFloat64() - interaction*interaction/2)
	}
}

// rarely draws tasks of equal level. On the given share of them, the candidate's cost,
// relative to the other tasks, is multiplied by the factor times. The mean change is 1.
func rarely(share, times float64) func(*rand.Rand) (float64, float64) {
	return func(rng *rand.Rand) (float64, float64) {
		change := 1 / (1 - share + share*times)
		if rng.Float64() < share {
			change *= times
		}
		return 1, change
	}
}

// TestUnmeasuredGuard checks the sentence about a guard without any pair.
func TestUnmeasuredGuard(t *testing.T) {
	t.Parallel()
	g := NewGuard(Bound{Name: Latency, Of: P95, AtMost: 1.1}, nil)
	if g.Broken() || g.Verdict == GuardPassed || g.Sentence() != "p95 latency: no pair was measured (at most +10 %)" {
		t.Errorf("broken %v, %s: %s", g.Broken(), g.Verdict, g.Sentence())
	}
}
