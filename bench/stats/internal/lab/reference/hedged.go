package reference

import "math"

// HedgedLogCapital returns the logarithm of the hedged capital against the hypothesis
// "the mean of x is m" after all values of x, which are in [0, 1], in order of arrival.
// The hedged capital is half of the capital of the better of two bettors, one who bets on
// a higher mean and one who bets on a lower mean, with stakes
//
//	λ_t = min(√(2 ln(2/α)/(σ̂²_{t−1}·t·ln(1+t))), ½/m or ½/(1−m))
//
// that depend on the empirical variance of the preceding values (Waudby-Smith and Ramdas
// 2024, §4.3). Unlike with constant stakes, the order matters. m is in (0, 1).
func HedgedLogCapital(x []float64, m, alpha float64) float64 {
	var sum, squares, higher, lower float64
	variance := 0.25 // the variance after one imagined observation at ½
	for i, v := range x {
		t := float64(i + 1)
		stake := math.Sqrt(2 * math.Log(2/alpha) / (variance * t * math.Log1p(t)))
		higher += math.Log1p(math.Min(stake, 0.5/m) * (v - m))
		lower += math.Log1p(-math.Min(stake, 0.5/(1-m)) * (v - m))
		sum += v
		mean := (0.5 + sum) / (t + 1)
		squares += (v - mean) * (v - mean)
		variance = (0.25 + squares) / (t + 1)
	}
	return math.Max(higher, lower) - math.Ln2
}
