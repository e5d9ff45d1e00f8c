package stats

import (
	"cmp"
	"math"
	"slices"
)

// Holm adjusts one-sided p-values so that rejecting those at or below α keeps the
// chance of any false rejection at most α (Holm 1979): the k-th smallest of m is
// multiplied by m−k+1, made monotone, and capped at 1. The result is in the order
// of the input, which is left alone. A p-value that is not a number counts as 1.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	clean := make([]float64, len(p))
	for i, v := range p {
		order[i] = i
		clean[i] = v
		if math.IsNaN(v) {
			clean[i] = 1
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(clean[i], clean[j]) })
	out := make([]float64, len(p))
	var running float64
	for rank, i := range order {
		running = math.Max(running, math.Min(1, clean[i]*float64(len(p)-rank)))
		out[i] = running
	}
	return out
}
