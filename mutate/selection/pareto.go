package selection

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// pareto determines the best candidates on every task and removes the candidates that are
// covered: a candidate is covered if, on each task on which it is among the best, another
// of the best candidates remains. Candidates with the worst means are removed first. pareto
// then draws one of the remaining candidates with probability proportional to the number of
// tasks on which it is among the best (after Agrawal et al. 2025, GEPA).
func pareto(list []Candidate, _ Budget, rng *rand.Rand) (int, string) {
	fronts := frontsOf(list)
	held := make([]float64, len(list))
	for i, tasks := range uncovered(list, fronts, rng) {
		held[i] = float64(len(tasks))
	}
	if len(fronts) == 0 {
		at := rng.IntN(len(list))
		return at, fmt.Sprintf("pareto: no task has a score yet, so one of %d variants was chosen at random", len(list))
	}
	at, stay := Draw(held, rng), 0
	for _, n := range held {
		if n > 0 {
			stay++
		}
	}
	return at, fmt.Sprintf("pareto: %s, best on %.0f of %d tasks, one of %d non-dominated variants", who(list, at), held[at], len(fronts), stay)
}

// frontsOf returns, for every task with a score, the indices of the best candidates.
func frontsOf(list []Candidate) [][]int {
	width := 0
	for _, c := range list {
		width = max(width, len(c.Tasks))
	}
	var fronts [][]int
	for j := range width {
		var front []int
		top := math.Inf(-1)
		for i, c := range list {
			switch {
			case j >= len(c.Tasks) || !(c.Tasks[j] >= top): // worse, or NaN
			case c.Tasks[j] > top:
				front, top = append(front[:0], i), c.Tasks[j]
			default:
				front = append(front, i)
			}
		}
		if len(front) > 0 {
			fronts = append(fronts, front)
		}
	}
	return fronts
}

// uncovered returns the fronts to which each candidate belongs; the fronts of a covered
// candidate are nil.
func uncovered(list []Candidate, fronts [][]int, rng *rand.Rand) [][]int {
	held := make([][]int, len(list))
	size := make([]int, len(fronts))
	for f, front := range fronts {
		size[f] = len(front)
		for _, i := range front {
			held[i] = append(held[i], f)
		}
	}
	order := rng.Perm(len(list)) // random order for ties
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[a].Mean, list[b].Mean) })
	for _, i := range order {
		if slices.ContainsFunc(held[i], func(f int) bool { return size[f] == 1 }) {
			continue
		}
		for _, f := range held[i] {
			size[f]--
		}
		held[i] = nil
	}
	return held
}
