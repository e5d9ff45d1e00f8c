package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestMeanGain(t *testing.T) {
	if m := MeanGain([]float64{.1, .2, .3, .4}, []float64{0, 0, 0, 0}); m != nil {
		t.Errorf("four gains have the interval %+v", m)
	}
	// scipy.stats.t.interval(0.95, 4, .3, scipy.stats.sem([.1, .2, .3, .4, .5]))
	m := MeanGain([]float64{.1, .2, .3, .4, .5}, []float64{.1, .1, .1, .1, .1})
	if math.Abs(m.Value-.3) > 1e-12 || math.Abs(m.Lo-.10367569) > 1e-8 || math.Abs(m.Hi-.49632431) > 1e-8 {
		t.Errorf("%+v", m)
	}
	// If the estimates are equal, the error comes from the errors of the single estimates.
	m = MeanGain([]float64{.1, .1, .1, .1, .1}, []float64{.2, .2, .2, .2, .2})
	if want := .2 / math.Sqrt(5) * 2.776445; math.Abs(m.Hi-.1-want) > 1e-6 || math.Abs(m.Lo-.1+want) > 1e-6 {
		t.Errorf("%+v", m)
	}
}

// TestMeanGainCovers checks that the interval holds the true mean of the drafts about as
// often as it states, both if the estimates have errors and if they are shrunk.
func TestMeanGainCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{5, 12} {
		for _, shrunk := range []float64{1, .5} {
			const worlds = 2000
			held := 0
			for range worlds {
				gains, errors := make([]float64, n), make([]float64, n)
				for i := range gains {
					gains[i] = .02 + shrunk*.05*random.NormFloat64()
					errors[i] = .05
				}
				if m := MeanGain(gains, errors); m.Lo <= .02 && .02 <= m.Hi {
					held++
				}
			}
			if share := float64(held) / worlds; share < .94 {
				t.Errorf("%d drafts, shrunk by %v: the interval holds the mean in %.3f of worlds", n, shrunk, share)
			}
		}
	}
}
