package selection

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// pareto keeps, for every task, those candidates that do it best, and draws among them
// with a chance proportional to the number of tasks in which they are (after Agrawal et
// al. 2025, GEPA). A candidate that others cover, as each of its tasks is done as well
// by one that stays, is removed first, the worst means before the better ones.
func pareto(list []Candidate, _ Budget, rng *rand.Rand) (int, string) {
	fronts := frontsOf(list)
	held := make([]float64, len(list))
	for i, tasks := range uncovered(list, fronts, rng) {
		held[i] = float64(len(tasks))
	}
	if len(fronts) == 0 {
		at := rng.IntN(len(list))
		return at, fmt.Sprintf("pareto: no task has a score yet, one of %d", len(list))
	}
	at, stay := draw(held, rng), 0
	for _, n := range held {
		if n > 0 {
			stay++
		}
	}
	return at, fmt.Sprintf("pareto: %s, best on %.0f of %d tasks, among %d that no others cover", who(list, at), held[at], len(fronts), stay)
}

// frontsOf lists for every task with a score the indices of the best.
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
			case j >= len(c.Tasks) || !(c.Tasks[j] >= top): // worse, or no number
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

// uncovered lists for every candidate the fronts that it is in, nil for one that is
// covered.
func uncovered(list []Candidate, fronts [][]int, rng *rand.Rand) [][]int {
	held := make([][]int, len(list))
	size := make([]int, len(fronts))
	for f, front := range fronts {
		size[f] = len(front)
		for _, i := range front {
			held[i] = append(held[i], f)
		}
	}
	order := rng.Perm(len(list)) // chance breaks ties
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
