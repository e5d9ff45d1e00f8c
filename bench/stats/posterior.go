package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// component is one normal distribution in a mixture that is centred on 0: its share, and
// its standard deviation in score units.
type component struct{ share, sd float64 }

// prior is the prior of the difference that a change to an agent makes: most changes do
// little, and some turn an agent that failed into one that passes. With the narrow normal
// distribution alone, a lead of sixty points after a small search would shrink to three.
// The wide component costs 4 % more evaluations when a gain of 8 points is found in nights
// of 2,000, and confirms a gain of 30 points in nights of 140 with power .84 instead of .44
// within 20 nights (`make bench-stats`).
var prior = [...]component{{.7, .05}, {.3, .3}}

// leastVariance prevents a series of equal results from counting as certainty: an agent
// that has passed everything so far may still fail.
const leastVariance = 0.01

// Differences summarizes measured differences from the champion in one stage: their number,
// their sum in score units, and the variance of a single difference. In the search a
// difference is a run's score minus the champion's mean on the task, with variance p̂(1−p̂)
// averaged over the tasks; in the confirmation it is the difference of a pair, with twice
// that variance.
type Differences struct {
	N, Sum, Variance float64
}

// Posterior returns the mean and standard deviation of a variant's true difference from the
// champion, in score units: the prior, a mixture of N(0, .05²) and N(0, .3²) with shares .7
// and .3, combined with the measurements of search and confirmation, each weighted by its
// precision. Variances below .01 count as .01. Each component has a normal posterior, and
// its share is weighted by the density that it gives to the measured mean.
func Posterior(search, confirm Differences) (mean, sd float64) {
	p, sum := precision(search, confirm)
	var means, variances, logs [len(prior)]float64
	for i, c := range prior {
		means[i], variances[i], logs[i] = c.posterior(p, sum)
	}
	total := floats.LogSumExp(logs[:])
	var square float64
	for i := range prior {
		share := math.Exp(logs[i] - total)
		mean += share * means[i]
		square += share * (variances[i] + means[i]*means[i])
	}
	return mean, math.Sqrt(square - mean*mean)
}

// precision returns the total precision of measured differences, and their
// precision-weighted sum.
func precision(stages ...Differences) (precision, sum float64) {
	for _, d := range stages {
		if d.N > 0 {
			v := math.Max(d.Variance, leastVariance)
			precision += d.N / v
			sum += d.Sum / v
		}
	}
	return precision, sum
}

// posterior returns the posterior mean and variance under one component, and the logarithm
// of its share times the density of the measured mean, N(0, sd² + 1/precision), without the
// factors that all components have in common.
func (c component) posterior(precision, sum float64) (mean, variance, logShare float64) {
	p := precision + 1/(c.sd*c.sd)
	return sum / p, 1 / p, math.Log(c.share) - .5*math.Log(p*c.sd*c.sd) + .5*sum*sum/p
}
