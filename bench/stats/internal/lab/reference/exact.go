package reference

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// mostFlips is the number of differences up to which all signs are enumerated.
const mostFlips = 24

// SignFlip returns the exact one-sided p-value of the sum of differences under random signs
// (Fisher 1935): the share of the 2ⁿ assignments whose sum is at least as high. It returns
// NaN for more than 24 differences.
func SignFlip(d []float64) float64 {
	if len(d) > mostFlips {
		return math.NaN()
	}
	var observed, tolerance float64
	for _, v := range d {
		observed += v
		tolerance += math.Abs(v)
	}
	tolerance *= 1e-12 // for rounding in sums of the same numbers in a different order
	// In Gray code order one sign changes at a time.
	sum, reached := observed, 1
	sign := make([]float64, len(d))
	for i := range sign {
		sign[i] = 1
	}
	for k := uint(1); k < 1<<len(d); k++ {
		i := bits.TrailingZeros(k)
		sum -= 2 * sign[i] * d[i]
		sign[i] = -sign[i]
		if sum >= observed-tolerance {
			reached++
		}
	}
	return float64(reached) / float64(uint(1)<<len(d))
}

// Wilcoxon returns the exact one-sided p-value of the signed-rank test for "the
// differences are above 0" (Wilcoxon 1945): zeros are left out, ties get the mean of
// their ranks, and the distribution of the rank sum is computed for these ranks.
func Wilcoxon(d []float64) float64 {
	var nonzero []float64
	for _, v := range d {
		if v != 0 {
			nonzero = append(nonzero, v)
		}
	}
	slices.SortFunc(nonzero, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	// Twice the rank is an integer even for ties.
	n, observed := len(nonzero), 0
	ways := make([]float64, n*(n+1)+1) // probability of each doubled rank sum
	ways[0] = 1
	for i := 0; i < n; {
		end := i
		for end < n && math.Abs(nonzero[end]) == math.Abs(nonzero[i]) {
			end++
		}
		rank := i + 1 + end // (i+1 + end)/2, doubled
		for ; i < end; i++ {
			if nonzero[i] > 0 {
				observed += rank
			}
			for s := len(ways) - 1; s >= 0; s-- {
				ways[s] /= 2
				if s >= rank {
					ways[s] += ways[s-rank] / 2
				}
			}
		}
	}
	var p float64
	for _, w := range ways[observed:] {
		p += w
	}
	return math.Min(1, p)
}

// ClopperPearson returns the exact two-sided interval of a share of k in n (Clopper and
// Pearson 1934), by quantiles of the beta distribution. n is at least 1.
func ClopperPearson(k, n int, level float64) (lo, hi float64) {
	tail := (1 - level) / 2
	hi = 1
	if k > 0 {
		lo = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(tail)
	}
	if k < n {
		hi = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - tail)
	}
	return lo, hi
}

// LogMcNemarBeta returns the logarithm of the evidence that on discordant pairs wins are
// more likely than losses: the likelihood ratio against a fair coin, averaged over a
// Beta(a, b) prior on the probability of a win, truncated to above ½ (Robbins 1970; the
// method of mixtures).
func LogMcNemarBeta(wins, losses int, a, b float64) float64 {
	w, l := float64(wins)+a, float64(losses)+b
	posterior := mathext.Lbeta(w, l) + math.Log(mathext.RegIncBeta(l, w, 0.5))
	prior := mathext.Lbeta(a, b) + math.Log(mathext.RegIncBeta(b, a, 0.5))
	return posterior - prior + float64(wins+losses)*math.Ln2
}
