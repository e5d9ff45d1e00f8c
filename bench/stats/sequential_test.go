package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestCompareSequential(t *testing.T) {
	pairs := inDomains(blocksOf(20, 10, func(task, block int) int { return btoi((task+block)%3 == 0) - btoi((task+block)%7 == 0) }),
		func(i int) string { return []string{"x", "y"}[i%2] })
	c, _ := compareSequential(normalizePairs(pairs), .95)
	fixed := Compare(pairs, .95)
	i := sampleOf(normalizePairs(pairs)).Interval(.95)
	if c.Lo != i.Lo || c.Hi != i.Hi || c.SE != fixed.SE || c.Wins != fixed.Wins || c.Tasks != 20 || c.Repeats != 10 {
		t.Errorf("%+v, want the interval %v", c, i)
	}
	near(t, "difference", c.Difference, fixed.Difference, 1e-12)
	near(t, "p", c.P, math.Exp(-sampleOf(normalizePairs(pairs)).LogSuperior(0)), 1e-12)
	if len(c.Domains) != 2 || c.Domains[0].Hi-c.Domains[0].Lo <= c.Hi-c.Lo || c.Domains[0].Tasks != 10 {
		t.Errorf("domains %+v", c.Domains)
	}
	if none, _ := compareSequential(nil, .95); none.Lo != -1 || none.Hi != 1 || none.P != 1 || none.Detectable != 1 {
		t.Errorf("nothing measured: %+v", none)
	}
}

// TestWeightedSample checks that the claim is about the weighted mean and does not depend
// on the unit of the weights.
func TestWeightedSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pairs := genPairs(t)
		s := sampleOf(normalizePairs(pairs))
		var sum, total float64
		for _, p := range normalizePairs(pairs) {
			for _, d := range p.row() {
				sum += p.Weight * d
				total += p.Weight
			}
		}
		if total > 0 && math.Abs(s.Mean()-sum/total) > 1e-12 {
			t.Fatalf("mean %g, want %g", s.Mean(), sum/total)
		}
		lower := s.Lower(.05)
		if lower > -1 && math.Abs(s.LogSuperior(lower)+math.Log(.05)) > 1e-5 {
			t.Fatalf("evidence at the bound %g is %g", lower, s.LogSuperior(lower))
		}
		for i := range pairs {
			if pairs[i].Weight = 7 * pairs[i].Weight; pairs[i].Weight == 0 {
				pairs[i].Weight = 7
			}
		}
		if seven := sampleOf(normalizePairs(pairs)); math.Abs(seven.Lower(.05)-lower) > 1e-9 || math.Abs(seven.LogSuperior(0)-s.LogSuperior(0)) > 1e-9 {
			t.Fatalf("in another unit of weight the bound is %g, not %g", seven.Lower(.05), lower)
		}
	})
}

// TestWeightedCoverage checks that if heavy tasks lose and light ones gain, the interval
// covers the weighted mean after every block, and that a gain is found.
func TestWeightedCoverage(t *testing.T) {
	const runs, tasks, blocks = 200, 12, 20
	rng := rand.New(rand.NewPCG(21, 4))
	missed, found := 0, 0
	for range runs {
		pairs := blocksOf(tasks, 0, nil)
		for i := range pairs {
			pairs[i].Weight = []float64{1, 3}[i%2]
		}
		miss, find := false, false
		for range blocks {
			for i := range pairs {
				gain := []float64{.3, -.1}[i%2] // the weighted mean is 0
				pairs[i].A = append(pairs[i].A, float64(btoi(rng.Float64() < .5)))
				pairs[i].B = append(pairs[i].B, float64(btoi(rng.Float64() < .5+gain)))
			}
			s := sampleOf(normalizePairs(pairs))
			miss = miss || s.LogSuperior(0) >= math.Log(20) || s.LogInferior(0) >= math.Log(20)
			find = find || s.LogSuperior(-.2) >= math.Log(20)
		}
		missed, found = missed+btoi(miss), found+btoi(find)
	}
	if missed > runs/10+12 || found < runs*8/10 {
		t.Errorf("of %d runs %d miss the weighted mean, %d find it to be above −20 points", runs, missed, found)
	}
}

// TestDetectableSequentially checks that a look after the given number of pairs finds the
// detectable difference about four times in five.
func TestDetectableSequentially(t *testing.T) {
	const runs, tasks, blocks, gain = 1000, 20, 20, .14
	rng := rand.New(rand.NewPCG(2, 3))
	found, detectable := 0, 0.
	for range runs {
		s := new(Sample)
		var p Pair
		for range tasks * blocks {
			a, b := float64(btoi(rng.Float64() < .4)), float64(btoi(rng.Float64() < .4+gain))
			p.A, p.B = append(p.A, a), append(p.B, b)
			s.Add(b-a, 1)
		}
		found += btoi(s.Lower(.025) > 0)
		c, _ := compareSequential(normalizePairs([]Pair{p}), .95)
		detectable += c.Detectable / runs
	}
	near(t, "detectable difference", detectable, gain, .005)
	near(t, "power", float64(found)/runs, .8, .05)
}
