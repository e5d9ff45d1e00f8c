package stats

import "math"

// priorSD is the prior standard deviation, in score units, of the difference that a
// change to an agent makes. The prior is centred on 0, since most changes have no effect.
const priorSD = 0.05

// leastVariance prevents a series of equal results from counting as certainty: an agent
// that has passed everything so far may still fail.
const leastVariance = 0.01

// Differences summarizes measured differences to the champion from one stage: their
// number, their sum in score units, and the variance of a single one. In the search a
// difference is a run's score minus the champion's mean on the task, with variance
// p̂(1−p̂) averaged over the tasks; in the confirmation it is a pair's, with twice that
// variance.
type Differences struct {
	N, Sum, Variance float64
}

// Posterior returns the mean and standard deviation of a variant's true difference to the
// champion, in score units: the normal prior N(0, .05²) combined with the measurements of
// search and confirmation, each weighted by its precision. Variances below .01 count as
// .01.
func Posterior(search, confirm Differences) (mean, sd float64) {
	precision := 1 / (priorSD * priorSD)
	var sum float64
	for _, d := range []Differences{search, confirm} {
		if d.N > 0 {
			v := math.Max(d.Variance, leastVariance)
			precision += d.N / v
			sum += d.Sum / v
		}
	}
	return sum / precision, 1 / math.Sqrt(precision)
}
