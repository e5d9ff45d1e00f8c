package reference

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// signs calls f with every assignment of signs to n values.
func signs(n int, f func(sign []float64)) {
	sign := make([]float64, n)
	for k := range 1 << n {
		for i := range sign {
			sign[i] = float64(2*(k>>i&1) - 1)
		}
		f(sign)
	}
}

func TestPermutationsByEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(rapid.SampledFrom([]float64{-.7, -.2, -.1, 0, .1, .1, .3, .7, 1}), 0, 9).Draw(t, "d")
		var observed, all float64
		for _, v := range d {
			observed += v
		}
		reached := 0.0
		signs(len(d), func(sign []float64) {
			var sum float64
			for i, v := range d {
				sum += sign[i] * v
			}
			all++
			if sum >= observed-1e-9 {
				reached++
			}
		})
		if p := SignFlip(d); math.Abs(p-reached/all) > 1e-12 {
			t.Fatalf("sign flip of %v is %g, want %g", d, p, reached/all)
		}

		var nonzero, ranks []float64
		for _, v := range d {
			if v != 0 {
				nonzero = append(nonzero, v)
			}
		}
		observed, all, reached = 0, 0, 0
		for _, v := range nonzero {
			below, equal := 0., 0.
			for _, w := range nonzero {
				switch {
				case math.Abs(w) < math.Abs(v):
					below++
				case math.Abs(w) == math.Abs(v):
					equal++
				}
			}
			rank := below + (equal+1)/2
			ranks = append(ranks, rank)
			if v > 0 {
				observed += rank
			}
		}
		signs(len(ranks), func(sign []float64) {
			var sum float64
			for i, r := range ranks {
				sum += r * math.Max(0, sign[i])
			}
			all++
			if sum >= observed {
				reached++
			}
		})
		if p := Wilcoxon(d); math.Abs(p-reached/all) > 1e-12 {
			t.Fatalf("signed rank of %v is %g, want %g", d, p, reached/all)
		}
	})
	if p := SignFlip(make([]float64, 25)); !math.IsNaN(p) {
		t.Errorf("25 differences give %g", p)
	}
}

func TestClopperPearson(t *testing.T) {
	lo, hi := ClopperPearson(0, 10, .95)
	if want := 1 - math.Pow(.025, .1); lo != 0 || math.Abs(hi-want) > 1e-9 {
		t.Errorf("none of ten: %g to %g, want 0 to %g", lo, hi, want)
	}
	if lo, hi = ClopperPearson(10, 10, .95); hi != 1 || math.Abs(lo-math.Pow(.025, .1)) > 1e-9 {
		t.Errorf("all of ten: %g to %g", lo, hi)
	}
}

func TestClusteredSE(t *testing.T) {
	d := []float64{.1, .5, -.2, .4}
	var mean, squares float64
	for _, v := range d {
		mean += v / 4
	}
	for _, v := range d {
		squares += (v - mean) * (v - mean)
	}
	if se := ClusteredSE(d, []int{1, 2, 3, 4}); math.Abs(se-math.Sqrt(squares)/4) > 1e-15 {
		t.Errorf("each its own cluster: %g", se)
	}
	if se := ClusteredSE(d, []string{"x", "x", "x", "x"}); se > 1e-15 {
		t.Errorf("all in one cluster: %g", se)
	}
}

// TestEvidenceOfNothing checks that the mean capital of a bettor who bets against a true
// hypothesis is at most the stake, so at most α of all runs end above 1/α.
func TestEvidenceOfNothing(t *testing.T) {
	const runs, alpha = 2000, .05
	rng := rand.New(rand.NewPCG(5, 7))
	hedged, beta, skewed := 0, 0, 0
	for range runs {
		wins, x := 0, make([]float64, 80)
		for i := range x {
			x[i] = float64(rng.IntN(2))
			wins += int(x[i])
		}
		if HedgedLogCapital(x, .5, alpha) >= -math.Log(alpha) {
			hedged++
		}
		if LogMcNemarBeta(wins, len(x)-wins, .5, .5) >= -math.Log(alpha) {
			beta++
		}
		if HedgedLogCapital(x, .3, alpha) >= -math.Log(alpha) {
			skewed++
		}
	}
	limit := runs*alpha + 3*math.Sqrt(runs*alpha)
	if float64(hedged) > limit || float64(beta) > limit || skewed < runs/2 {
		t.Errorf("of %d runs %d and %d prove what is not so, %d what is", runs, hedged, beta, skewed)
	}
}

func TestLogThresholdRisesWithEntriesAndFallsWithAdoptions(t *testing.T) {
	var spent float64
	for entry := 1; entry < 1000; entry++ {
		if LogThreshold(.05, entry+1, 0) <= LogThreshold(.05, entry, 0) || LogThreshold(.05, entry, 1) >= LogThreshold(.05, entry, 0) {
			t.Fatalf("entry %d", entry)
		}
		spent += math.Exp(-LogThreshold(.05, entry, 0))
	}
	if spent > .05 || spent < .0499 {
		t.Errorf("a thousand entries may err %g times, want just below .05", spent)
	}
}
