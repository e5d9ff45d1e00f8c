package gobench

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// alone returns a session with a single comparison.
func alone() *session {
	return &session{rule: Rule{}.withDefaults(), family: 1, criticals: map[size]int{}}
}

// permuted returns the two-sided p-value of the Mann-Whitney U test by enumerating all
// assignments of the values to the two sides: twice the share of those with an equally or
// more extreme U on the same side.
func permuted(a, b []float64) float64 {
	all := slices.Concat(a, b)
	u := func(mine uint) float64 {
		sum := 0.0
		for i, x := range all {
			for j, y := range all {
				if mine>>i&1 == 1 && mine>>j&1 == 0 {
					switch {
					case x > y:
						sum++
					case x == y:
						sum += .5
					}
				}
			}
		}
		return sum
	}
	seen := u(1<<len(a) - 1)
	below, above, total := 0.0, 0.0, 0.0
	for mine := range uint(1) << len(all) {
		if bits.OnesCount(mine) != len(a) {
			continue
		}
		total++
		if v := u(mine); v <= seen {
			below++
			if v == seen {
				above++
			}
		} else {
			above++
		}
	}
	return math.Min(1, 2*math.Min(below, above)/total)
}

// TestPIsThePermutationTests checks that the p-value is exact, with and without ties.
func TestPIsThePermutationTests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Map(rapid.IntRange(0, rapid.SampledFrom([]int{1, 3, 1000}).Draw(t, "values")), func(n int) float64 { return float64(n) })
		n := rapid.IntRange(1, 6).Draw(t, "runs")
		a, b := rapid.SliceOfN(value, n, n).Draw(t, "base"), rapid.SliceOfN(value, n, n).Draw(t, "candidate")
		if got, want := alone().compare(Key{}, a, b).P, permuted(a, b); math.Abs(got-want) > 1e-9 {
			t.Fatalf("p is %v, by permutation %v", got, want)
		}
	})
}

// TestPIsThatOfTheTables compares P with published two-sided values.
func TestPIsThatOfTheTables(t *testing.T) {
	ten := []float64{1, 2, 3, 4, 5, 6, 7, 12, 18, 20} // of the ranks 1 to 20; their sum is 78, so U is 23
	var other []float64
	for r := 1.0; r <= 20; r++ {
		if !slices.Contains(ten, r) {
			other = append(other, r)
		}
	}
	for _, c := range []struct {
		name string
		a, b []float64
		want float64
	}{
		{"4 and 4 apart", []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, 2. / 70},
		{"5 and 5 apart", []float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 2. / 252},
		{"U = 23 of 10 and 10, the critical value at .05", ten, other, .0433},
		{"all equal", []float64{1, 1, 1, 1}, []float64{1, 1, 1, 1}, 1},
	} {
		if got := alone().compare(Key{}, c.a, c.b).P; math.Abs(got-c.want) > 5e-5 {
			t.Errorf("%s: p is %v, want %v", c.name, got, c.want)
		}
	}
}

// TestHolm: R's p.adjust(…, "holm").
func TestHolm(t *testing.T) {
	for i, want := range []float64{.03, .06, .06, .02} {
		if got := holm([]float64{.01, .04, .03, .005})[i]; math.Abs(got-want) > 1e-12 {
			t.Errorf("%d: %v, want %v", i, got, want)
		}
	}
}

func TestNeeded(t *testing.T) {
	for comparisons, want := range map[int]int{0: 4, 1: 4, 2: 5, 6: 5, 7: 6, 23: 6, 24: 7, 60: 7, 1000: 9} {
		if got := needed(.05, comparisons); got != want {
			t.Errorf("%d comparisons need %d runs, want %d", comparisons, got, want)
		}
	}
	run := Run{{"X", sec}: {1}, {"X", "B/op"}: {1}, {"X", "hits/op"}: {1}}
	for want, rule := range map[int]Rule{5: {}, 4: {Guards: []string{}}, 6: {Alpha: .01}} {
		if got := rule.Needed([]Run{run}); got != want {
			t.Errorf("%+v needs %d runs, want %d", rule, got, want)
		}
	}
}

// TestIntervalIsTheTestTurnedRound checks that a candidate divided by a ratio just inside
// the interval is not significantly different from the base, and that a candidate divided
// by a ratio just outside it is.
func TestIntervalIsTheTestTurnedRound(t *testing.T) {
	s := alone()
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.SampledFrom([]int{4, 5, 6, 9, 10, 20, 26, 55}).Draw(t, "runs")
		a, b := noisy(rng, n, 1, .1), noisy(rng, n, 1.2, .2)
		c := s.compare(Key{}, a, b)
		if c.Interval == nil || c.Interval.Lo > c.Change || c.Change > c.Interval.Hi {
			t.Fatalf("%+v", c)
		}
		for _, end := range []struct{ ratio, outward float64 }{{1 + c.Interval.Lo, 1 - 1e-9}, {1 + c.Interval.Hi, 1 + 1e-9}} {
			at := func(ratio float64) float64 {
				moved := slices.Clone(b)
				for i := range moved {
					moved[i] /= ratio
				}
				return s.compare(Key{}, a, moved).P
			}
			if in, out := at(end.ratio/end.outward), at(end.ratio*end.outward); in <= .05 || out > .05 {
				t.Fatalf("p inside the interval is %v, outside %v, of %+v", in, out, c)
			}
		}
	})
}

// noisy returns n values about a centre, with the given relative standard deviation.
func noisy(rng *rand.Rand, n int, centre, sd float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = centre * math.Exp(sd*rng.NormFloat64())
	}
	return out
}

// TestDetectableIsFoundAsOftenAsItSays checks that a true change of the detectable size is
// found in about 80 of 100 comparisons.
func TestDetectableIsFoundAsOftenAsItSays(t *testing.T) {
	const trials = 600
	for _, n := range []int{8, 20} {
		for _, family := range []int{1, 20} {
			rng := rand.New(rand.NewPCG(uint64(n), uint64(family)))
			s := alone()
			s.family = family
			sizes := make([]float64, trials)
			for i := range sizes {
				sizes[i] = s.compare(Key{}, noisy(rng, n, 1, .03), noisy(rng, n, 1, .03)).Detectable
			}
			size, found := median(sizes), 0.0
			for range trials {
				if s.compare(Key{}, noisy(rng, n, 1, .03), noisy(rng, n, 1+size, .03)).P <= .05/float64(family) {
					found += 1. / trials
				}
			}
			t.Logf("%d runs, %d comparisons: %.2f %% is found in %.2f", n, family, 100*size, found)
			if found < .70 || found > .92 {
				t.Errorf("%d runs, %d comparisons: a change of %.3f is found in %.2f", n, family, size, found)
			}
		}
	}
}
