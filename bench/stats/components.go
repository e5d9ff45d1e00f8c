package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Components splits the variance of paired differences into true differences between
// tasks and chance within a task (Miller 2024; a one-way analysis of variance with random
// effects).
type Components struct {
	// Mean is the mean over the tasks of their mean differences.
	Mean float64
	// Between is τ̂², the variance between tasks of the true difference; Within is σ̂²,
	// the variance of one pair around its task. Untruncated is the variance of the tasks'
	// mean differences, including chance.
	Between, Within, Untruncated float64
	// SETasks is the standard error of Mean for the same tasks, and SENew is that for new
	// tasks like them.
	SETasks, SENew float64
	// Tasks is the number of tasks, or of clusters if there are any, and Effective is the
	// equivalent number of tasks with equal weights, W²/ΣW² (Kish 1965).
	Tasks     int
	Effective float64
	// Repeated reports whether at least half of the tasks have two pairs or more. If no
	// task has two pairs, the variance between tasks cannot be separated from chance, and
	// all variance counts as Between, which is conservative.
	Repeated bool
}

// strand summarizes the pairs of one task.
type strand struct {
	weight, mean, variance float64 // variance estimates the variance of one pair, with n − 1 in the denominator
	n                      int
}

func newStrand(row []float64, weight float64) strand {
	s := strand{weight: weight, n: len(row)}
	if len(row) == 1 {
		s.mean = row[0] // the variance of a single value would be NaN
		return s
	}
	s.mean, s.variance = stat.MeanVariance(row, nil)
	return s
}

// unit is a cluster, the unit of sampling new tasks. A task without a cluster is its own
// unit.
type unit []strand

// componentsOf estimates the variances from the pairs of each task, one pair per block.
// With d_i the mean of task i, R_i the number of its pairs and popVar_i their variance with
// R_i in the denominator,
//
//	τ̂² = max(0, Var_{M−1}(d_i) − mean_i(popVar_i/(R_i − 1))),
//
// and σ̂² is pooled over the tasks. R_i differs between tasks if the infrastructure lost a
// pair: chance is subtracted for each task by its own R_i, and with the pooled σ̂² if R_i
// is 1.
//
// The tasks of a cluster are first averaged by their weights. A cluster counts by its share
// h of the weight, so that the mean is the weighted mean of all tasks; z_c = d̄ +
// M·h_c·(d_c − d̄) then has that mean, and Var(z)/M is the squared standard error of a
// ratio of two means (Cochran 1977, §6.4), which for equal clusters is the usual one.
func componentsOf(units []unit) Components {
	c := Components{Tasks: len(units)}
	if len(units) == 0 {
		return c
	}
	c.Within, c.Repeated = pooled(units)
	weights, means, noise := make([]float64, len(units)), make([]float64, len(units)), make([]float64, len(units))
	var total, squares float64
	for i, u := range units {
		weights[i], means[i], noise[i] = u.average(c.Within)
		total += weights[i]
	}
	for i, w := range weights {
		c.Mean += w / total * means[i]
		squares += w / total * w / total
	}
	c.Effective = 1 / squares
	m := float64(len(units))
	var spread, chance float64
	for i, w := range weights {
		share := w / total * m
		spread += share * share * (means[i] - c.Mean) * (means[i] - c.Mean)
		chance += share * share * noise[i] / m
	}
	if len(units) > 1 {
		c.Untruncated = spread / (m - 1)
		c.Between = math.Max(0, c.Untruncated-chance)
	}
	c.SETasks = math.Sqrt(chance / m)
	c.SENew = math.Sqrt((c.Between + chance) / m)
	return c
}

// average returns a cluster's weight, its mean difference, and the variance of that mean
// that is due to chance alone.
func (u unit) average(within float64) (weight, mean, noise float64) {
	for _, s := range u {
		weight += s.weight
	}
	for _, s := range u {
		share, variance := s.weight/weight, s.variance
		if s.n < 2 {
			variance = within
		}
		mean += share * s.mean
		noise += share * share * variance / float64(s.n)
	}
	return weight, mean, noise
}

// pooled returns the variance of pairs around the mean of their task, over all tasks with
// at least two pairs. It also reports whether these tasks are at least half of all tasks.
func pooled(units []unit) (variance float64, repeated bool) {
	var sum, df float64
	tasks, twice := 0, 0
	for _, u := range units {
		for _, s := range u {
			sum += s.variance * float64(s.n-1)
			df += float64(s.n - 1)
			tasks++
			twice += min(1, s.n-1)
		}
	}
	if df == 0 {
		return 0, false
	}
	return sum / df, 2*twice >= tasks
}
