package stats

// shrinkSD is the standard deviation, in score units, of the differences that
// candidates are expected to make: 8 points.
const shrinkSD = 0.08

// Shrink pulls a mean difference of n pairs with the given variance of one pair towards 0: the posterior
// mean under a normal prior around 0 with a standard deviation of 8 points,
// d·.08²/(.08² + s²/n). The best of many is selected for its luck as well; this takes most
// of the luck off, but may still be optimistic. Without pairs it is 0.
func Shrink(difference, variance float64, n int) float64 {
	if n < 1 {
		return 0
	}
	return difference * (shrinkSD * shrinkSD / (shrinkSD*shrinkSD + variance/float64(n)))
}
