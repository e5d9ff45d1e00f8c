package yardstick

import "math"

// HedgedLogCapital is the logarithm of the hedged capital against "the mean of x is m" after all of
// x, values in [0, 1] in order of arrival: the larger half of one bettor who bets that
// the mean is higher and one who bets that it is lower, with stakes
//
//	λ_t = min(√(2 ln(2/α)/(σ̂²_{t−1}·t·ln(1+t))), ½/m or ½/(1−m))
//
// that follow the empirical variance of what came before (Waudby-Smith and Ramdas 2024, §4.3). Unlike
// constant stakes it depends on the order. m is in (0, 1).
func HedgedLogCapital(x []float64, m, alpha float64) float64 {
	var sum, squares, higher, lower float64
	variance := 0.25 // of one imagined observation at ½
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
