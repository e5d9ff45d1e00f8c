package selection

import (
	"math"
	"math/rand/v2"
)

// Draw returns a random index, drawn with probability proportional to the index's weight.
// Weights must be 0 or more, with a finite sum above 0.
func Draw(weights []float64, rng *rand.Rand) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	x := rng.Float64() * sum
	last := 0
	for i, w := range weights {
		if w <= 0 {
			continue
		}
		last = i
		if x -= w; x < 0 {
			break
		}
	}
	return last
}

// highest returns one of the indices with the highest value, each with equal probability,
// or -1 if every value is −∞.
func highest(n int, value func(int) float64, rng *rand.Rand) int {
	at, top, ties := -1, math.Inf(-1), 0
	for i := range n {
		switch v := value(i); {
		case v > top:
			at, top, ties = i, v, 1
		case v == top && at >= 0:
			if ties++; rng.IntN(ties) == 0 {
				at = i
			}
		}
	}
	return at
}
