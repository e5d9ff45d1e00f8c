package selection

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// topK selects one of the two best candidates.
func topK(list []Candidate, _ Budget, rng *rand.Rand) (int, string) {
	first := highest(len(list), func(i int) float64 { return list[i].Mean }, rng)
	second := highest(len(list), func(i int) float64 {
		if i == first {
			return math.Inf(-1)
		}
		return list[i].Mean
	}, rng)
	if second >= 0 && rng.IntN(2) == 0 {
		return second, "top_k: the second-best variant, " + who(list, second)
	}
	return first, "top_k: the best, " + who(list, first)
}

// random selects any candidate.
func random(list []Candidate, _ Budget, rng *rand.Rand) (int, string) {
	at := rng.IntN(len(list))
	return at, fmt.Sprintf("random: one of %d variants", len(list))
}
