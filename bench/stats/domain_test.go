package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestDomains(t *testing.T) {
	domain := func(name string, tasks, blocks int, gain func(task, block int) float64) []Pair {
		out := make([]Pair, tasks)
		for i := range out {
			out[i] = Pair{Task: name + string(rune('a'+i)), Domain: name}
			for r := range blocks {
				d := gain(i, r)
				out[i].A, out[i].B = append(out[i].A, math.Max(0, -d)), append(out[i].B, math.Max(0, d))
			}
		}
		return out
	}
	alternate := func(d float64) func(int, int) float64 {
		return func(task, block int) float64 { return d * float64(1-2*((task+block)%2)) }
	}
	constant := func(d float64) func(int, int) float64 { return func(int, int) float64 { return d } }
	for _, c := range []struct {
		name    string
		pairs   []Pair
		fixed   bool
		verdict string
	}{
		{"gains", domain("x", 6, 10, constant(1)), false, DomainBetter},
		{"equal for long", domain("x", 10, 20, alternate(.2)), false, DomainFine},
		{"equal for a moment", domain("x", 4, 2, alternate(1)), false, DomainOpen},
		{"loses", domain("x", 6, 10, constant(-1)), false, DomainVeto},
		{"loses a little everywhere", domain("x", 10, 30, constant(-.1)), false, DomainVeto},
		{"fixed gains", domain("x", 8, 1, constant(1)), true, DomainBetter},
		{"fixed loses", domain("x", 8, 1, constant(-1)), true, DomainVeto},
		{"one fixed loss in eight", domain("x", 8, 1, func(task, _ int) float64 { return -float64(btoi(task == 3)) }), true, DomainOpen},
		{"a fixed task alone", domain("x", 1, 1, constant(-1)), true, DomainOpen},
	} {
		t.Run(c.name, func(t *testing.T) {
			other := domain("", 3, 2, constant(.5))
			got := parts(normalizePairs(append(other, c.pairs...)), c.fixed)
			if len(got) != 1 || got[0].Domain != "x" || got[0].Verdict != c.verdict || got[0].Tasks != len(c.pairs) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestDomainsAreCorrectedForTheirNumber checks that a gain of three points in each of ten
// domains is vetoed by chance in at most 5 % of all runs, and that a domain with a large
// loss is still vetoed.
func TestDomainsAreCorrectedForTheirNumber(t *testing.T) {
	const runs, domains, tasks, blocks = 100, 10, 6, 10
	rng := rand.New(rand.NewPCG(10, 5))
	night := func(loss float64) (vetoed bool) {
		pairs := inDomains(blocksOf(domains*tasks, 0, nil), func(i int) string { return string(rune('a' + i%domains)) })
		chance := make([][2]float64, len(pairs))
		for i := range chance {
			p := .2 + .5*rng.Float64()
			chance[i] = [2]float64{p, p + .03 + .1*rng.NormFloat64()}
			if i%domains == 0 {
				chance[i][1] -= loss
			}
		}
		for range blocks {
			for i := range pairs {
				pairs[i].A = append(pairs[i].A, float64(btoi(rng.Float64() < chance[i][0])))
				pairs[i].B = append(pairs[i].B, float64(btoi(rng.Float64() < chance[i][1])))
			}
			for _, p := range parts(normalizePairs(pairs), false) {
				vetoed = vetoed || p.Verdict == DomainVeto
			}
		}
		return vetoed
	}
	mistaken, found := 0, 0
	for range runs {
		mistaken += btoi(night(0))
	}
	for range runs / 5 {
		found += btoi(night(.7))
	}
	if mistaken > runs/10 || found < runs/5*7/10 {
		t.Errorf("%d of %d runs without a loss are vetoed, %d of %d with one", mistaken, runs, found, runs/5)
	}
}
