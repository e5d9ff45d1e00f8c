package selection

import (
	"fmt"
	"math"
	"math/rand/v2"
)

const (
	// inherited is γ, the weight that a child's evaluation has for its parents.
	inherited = 0.5
	// cladeSpread is the prior standard deviation of a clade's gain over the champion, in
	// score units. curiosity is the factor by which the posterior standard deviation is
	// multiplied when a value is drawn.
	cladeSpread = 0.05
	curiosity   = 0.25
	// oneRun is the variance that a single score is assumed to have if nothing is known:
	// the variance of a pass with probability .78. leastRun is the minimum variance.
	oneRun, leastRun = 0.17, 0.01
)

// clade selects the candidate that, together with its descendants, has the highest mean
// gain over the champion, plus noise. Every evaluation is credited to the ancestors of its
// variant with weight γ^distance. The champion's value is exactly 0, so the champion is
// selected if no other value is higher.
func clade(list []Candidate, _ Budget, rng *rand.Rand) (int, string) {
	counts, gains := cladeSums(list)
	variance := runVariance(list)
	at, top, why := 0, 0.0, "the champion, because no other variant promises a higher gain"
	for i := 1; i < len(list); i++ {
		mean, sd := cladePosterior(counts[i], gains[i], variance)
		if v := mean + curiosity*sd*rng.NormFloat64(); v > top {
			at, top = i, v
			why = fmt.Sprintf("the variant and its descendants have a gain of %+.3f ± %.3f in evaluations with a total weight of %.1f; sampled gain %+.3f",
				mean, sd, counts[i], v)
		}
	}
	return at, "clade: " + why
}

// cladeSums returns, for each candidate, the evaluations and the gains that are credited
// to it: the candidate's own and, with smaller weights, its descendants'.
func cladeSums(list []Candidate) (counts, gains []float64) {
	counts, gains = make([]float64, len(list)), make([]float64, len(list))
	for i, c := range list {
		counts[i] = float64(max(0, c.Evaluations))
		gains[i] = c.Mean * counts[i]
	}
	credit(list, inherited, counts, gains)
	return counts, gains
}

// cladePosterior returns the normal posterior of a clade's mean gain under the prior N(0,
// cladeSpread²), given the variance of one evaluation.
func cladePosterior(count, gain, variance float64) (mean, sd float64) {
	precision := 1/(cladeSpread*cladeSpread) + count/variance
	return gain / variance / precision, math.Sqrt(1 / precision)
}

// runVariance returns the variance of one score: the mean of the known variances or, if
// none is known, p(1 − p) averaged over the evaluations, which is an upper bound for scores
// in [0,1].
func runVariance(list []Candidate) float64 {
	sum, n := 0.0, 0.0
	for _, c := range list {
		if c.Variance > 0 {
			sum += c.Variance
			n++
		}
	}
	if n > 0 {
		return sum / n
	}
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
