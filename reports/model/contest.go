package model

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"evolve/runtime/agent"
)

// leastPaired is the minimum number of common tasks for a paired difference.
const leastPaired = 5

// paired returns the mean difference between the scores of two variants over the search
// tasks on which both were evaluated, and the number of these tasks. A task's score is the
// mean over its evaluations. The interval is Student's at 95 %; if there are fewer than
// [leastPaired] tasks, the difference is nil.
func (t *tried) paired(before, after agent.ConfigID) (*Estimated, int) {
	means := func(v *trials) map[string]float64 {
		sums, n := map[string]float64{}, map[string]float64{}
		for _, one := range v.ablated() {
			sums[t.tasks[one.task]] += one.score
			n[t.tasks[one.task]]++
		}
		for task := range sums {
			sums[task] /= n[task]
		}
		return sums
	}
	a, b := means(t.variants[before]), means(t.variants[after])
	var differences []float64
	for _, task := range sortedKeys(a) {
		if y, both := b[task]; both {
			differences = append(differences, y-a[task])
		}
	}
	n := float64(len(differences))
	if len(differences) < leastPaired {
		return nil, len(differences)
	}
	mean, square := 0.0, 0.0
	for _, d := range differences {
		mean += d / n
	}
	for _, d := range differences {
		square += (d - mean) * (d - mean)
	}
	reach := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(.975) * math.Sqrt(square/(n-1)/n)
	return &Estimated{mean, mean - reach, mean + reach}, len(differences)
}
