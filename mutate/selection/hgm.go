package selection

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// HGM is the name of the selection that also decides when to make a variant; see
// [Expand].
const HGM = "hgm"

// growth is the exponent to which the number of evaluations is raised. The result limits
// the number of variants in the tree.
const growth = 0.6

// hgm draws a success rate from Beta(τ(1 + S), τ(1 + F)) for each candidate and selects the
// candidate with the highest. S and F are the successes and failures of the candidate and
// all its descendants, and τ = total/remaining budget, which reduces randomness as the
// budget is spent (clade metaproductivity; Wang et al. 2025, Huxley-Gödel Machine).
func hgm(list []Candidate, b Budget, rng *rand.Rand) (int, string) {
	successes, failures := metaproductivity(list)
	tau := 1.0
	if b.Total > 0 {
		tau = float64(b.Total) / float64(min(max(b.Total-b.Spent, 1), b.Total))
	}
	drawn := make([]float64, len(list))
	for i := range list {
		drawn[i] = distuv.Beta{Alpha: tau * (1 + successes[i]), Beta: tau * (1 + failures[i]), Src: rng}.Rand()
	}
	at := max(0, highest(len(list), func(i int) float64 { return drawn[i] }, rng))
	return at, fmt.Sprintf("hgm: it and its descendants have %.1f successes and %.1f failures; sampled success rate %.3f at τ %.2f",
		successes[at], failures[at], drawn[at], tau)
}

// metaproductivity sums successes and failures over each candidate and its descendants; a
// score of .7 counts as .7 of a success.
func metaproductivity(list []Candidate) (successes, failures []float64) {
	successes, failures = make([]float64, len(list)), make([]float64, len(list))
	for i, c := range list {
		n := float64(max(0, c.Evaluations))
		if s := c.Sum; s > 0 { // excludes NaN
			successes[i] = min(s, n)
		}
		failures[i] = n - successes[i]
	}
	credit(list, 1, successes, failures)
	return successes, failures
}

// Expand reports whether hgm now makes a new variant instead of evaluating existing ones.
// It does so if N^0.6 ≥ |tree|, where N is the number of evaluations in the tree, including
// pending ones, and |tree| is the number of variants.
func Expand(evaluations, tree int) bool {
	return math.Pow(float64(max(0, evaluations)), growth) >= float64(tree)
}
