package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// LeastGains is the smallest number of estimated gains for which [MeanGain] returns an
// interval.
const LeastGains = 5

// MeanGain returns the mean of estimated gains in [-1,1] with Student's interval at 95 %,
// or nil if there are fewer than [LeastGains]. The interval uses the larger of two errors:
// one from the spread of the gains, and one from the standard errors of the estimates. The
// spread alone can be too small, because estimates that a model shrinks towards each other
// vary less than they err.
func MeanGain(gains, errors []float64) *Measure {
	n := float64(len(gains))
	if len(gains) < LeastGains {
		return nil
	}
	mean, spread := stat.MeanVariance(gains, nil)
	own := 0.0
	for _, e := range errors {
		own += e * e / n
	}
	half := tQuantile(1-(1-agreementLevel)/2, n-1) * math.Sqrt(math.Max(spread, own)/n)
	return &Measure{mean, Interval{math.Max(-1, mean-half), math.Min(1, mean+half)}}
}
