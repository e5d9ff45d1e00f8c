package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// tSurvival returns P(T > t) for Student's t with df degrees of freedom. It uses the
// incomplete beta function, so very small probabilities keep their precision (Abramowitz
// and Stegun 26.7.1).
func tSurvival(t, df float64) float64 {
	tail := mathext.RegIncBeta(df/2, 0.5, df/(df+t*t)) / 2
	if t < 0 {
		return 1 - tail
	}
	return tail
}

// tQuantile returns the p-quantile of Student's t with df degrees of freedom.
func tQuantile(p, df float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(p)
}

// McNemar returns the exact one-sided p-value of wins against losses on discordant
// pass/fail pairs: P(X ≥ wins) for X ~ Binomial(wins+losses, ½), through the incomplete
// beta function (DLMF 8.17.5). Ties carry no information; without a win it returns 1.
func McNemar(wins, losses int) float64 {
	if wins <= 0 {
		return 1
	}
	return mathext.RegIncBeta(float64(wins), float64(max(losses, 0)+1), 0.5)
}

// Wilson returns the interval at level of a mean score in [0,1] over n independent
// evaluations (Wilson 1927). Graded scores vary less than pass/fail scores with the same
// mean, so the interval is conservative for them. n may be an effective number; with n not
// above 0 the interval is the whole scale.
func Wilson(mean, n, level float64) (lo, hi float64) {
	if !(n > 0) || math.IsNaN(mean) {
		return 0, 1
	}
	mean = math.Min(1, math.Max(0, mean))
	z := distuv.UnitNormal.Quantile(1 - (1-level)/2)
	centre := mean + z*z/(2*n)
	half := z * math.Sqrt(mean*(1-mean)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	// The bounds 0 and 1 are exact, and rounding must not exclude the mean from the
	// interval.
	return math.Max(0, math.Min(mean, (centre-half)/scale)), math.Min(1, math.Max(mean, (centre+half)/scale))
}
