package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// LeastGains is the smallest number of estimated gains whose mean has an interval.
const LeastGains = 5

// MeanGain returns the mean of estimated gains in [-1,1] with Student's interval at 95 %, nil
// for fewer than [LeastGains]. Its error is that of the spread between the gains, or that of
// the estimates by their standard errors where it is larger: estimates that a model shrinks
// towards each other vary less than they err.
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
