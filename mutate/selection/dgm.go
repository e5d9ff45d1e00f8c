package selection

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// steepness is λ, the strength of the preference for scores above the median.
	steepness = 2
	// leastDeviation prevents a division by zero if all scores are equal.
	leastDeviation = 1e-3
)

// dgm prefers good candidates with few children, by the weight σ(λ(m − median)/MAD)/(1 +
// children) on posterior means (Zhang et al. 2025, Darwin Gödel Machine, with median and
// MAD instead of fixed constants).
func dgm(list []Candidate, _ Budget, rng *rand.Rand) (int, string) {
	means := make([]float64, len(list))
	for i, c := range list {
		means[i] = c.Mean
	}
	mid := median(means)
	for i := range means {
		means[i] = math.Abs(means[i] - mid)
	}
	deviation := max(median(means), leastDeviation)
	weights, sum := means, 0.0
	for i, c := range list {
		weights[i] = 1 / (1 + math.Exp(-steepness*(c.Mean-mid)/deviation)) / float64(1+max(0, c.Children))
		sum += weights[i]
	}
	at := Draw(weights, rng)
	return at, fmt.Sprintf("dgm: %s (median %+.3f), with %d children; selection probability %.3f", who(list, at), mid, list[at].Children, weights[at]/sum)
}

// median returns the median of a list that is not empty.
func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return sorted[(n-1)/2]/2 + sorted[n/2]/2 // halved first, because the sum may overflow
}
