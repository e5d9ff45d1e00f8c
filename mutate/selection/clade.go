package selection

import (
	"fmt"
	"math"
	"math/rand/v2"
)

const (
	// inherited is γ: what an evaluation counts for the parents beside the child.
	inherited = 0.5
	// cladeSpread is the prior standard deviation of a clade's gain over the champion, in score
	// units, and curiosity the standard deviations that uncertainty is worth (spec 5.4, 9.2).
	cladeSpread = 0.05
	curiosity   = 0.25
	// oneRun is the variance of one score when nothing is known of it: that of a pass or
	// fail at .78, and leastRun the least that is believed.
	oneRun, leastRun = 0.17, 0.01
)

// clade takes the candidate that has, with its descendants, the highest mean gain over
// the champion plus a little chance: every evaluation credits the ancestors of its variant
// with weight γ^distance. The champion stands at exactly 0, so that it is taken when
// nothing promises more.
func clade(list []Candidate, _ Budget, rng *rand.Rand) (int, string) {
	counts, gains := cladeSums(list)
	variance := runVariance(list)
	at, top, why := 0, 0.0, "the champion, as no other promises more"
	for i := 1; i < len(list); i++ {
		mean, sd := cladePosterior(counts[i], gains[i], variance)
		if v := mean + curiosity*sd*rng.NormFloat64(); v > top {
			at, top = i, v
			why = fmt.Sprintf("gain %+.3f ± %.3f of it and its descendants over %.1f credited evaluations, drawn %+.3f",
				mean, sd, counts[i], v)
		}
	}
	return at, "clade: " + why
}

// cladeSums credits evaluations and their gains upwards.
func cladeSums(list []Candidate) (counts, gains []float64) {
	counts, gains = make([]float64, len(list)), make([]float64, len(list))
	for i, c := range list {
		counts[i] = float64(max(0, c.Evaluations))
		gains[i] = c.Mean * counts[i]
	}
	credit(list, inherited, counts, gains)
	return counts, gains
}

// cladePosterior is the normal posterior of a clade's mean gain under the prior
// N(0, cladeSpread²), with the variance of one evaluation.
func cladePosterior(count, gain, variance float64) (mean, sd float64) {
	precision := 1/(cladeSpread*cladeSpread) + count/variance
	return gain / variance / precision, math.Sqrt(1 / precision)
}

// runVariance is the variance of one score, p(1 − p) averaged over the evaluations (spec
// 9.2), which no score in [0,1] exceeds.
func runVariance(list []Candidate) float64 {
	sum, n := 0.0, 0.0
	for _, c := range list {
		p := c.Sum / float64(c.Evaluations)
		if v := p * (1 - p) * float64(c.Evaluations); c.Evaluations > 0 && v >= 0 {
			sum += v
			n += float64(c.Evaluations)
		}
	}
	if n == 0 {
		return oneRun
	}
	return max(sum/n, leastRun)
}
