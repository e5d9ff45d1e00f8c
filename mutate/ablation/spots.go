package ablation

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"evolve/runtime/agent"
)

// spotsFor returns at most limit spots for comparisons, in the order in which to use them.
// They form rounds in which every task occurs once, in random order, each time with the
// repeat at which the two configs have the most evaluations. Only the existence of
// evaluations matters, not their scores, because selection by score would bias the
// comparison.
func (e *evidence) spotsFor(winner, champion agent.ConfigID, maxRepeats, limit int, rng *rand.Rand) []spot {
	tasks := rng.Perm(len(e.tasks))
	tried := make([][]int, len(e.tasks)) // the repeats that either config has; those that both configs have come first
	for _, id := range []agent.ConfigID{winner, champion} {
		for at := range e.of(id) {
			if !slices.Contains(tried[at.task], at.repeat) && (maxRepeats <= 0 || at.repeat < maxRepeats) {
				tried[at.task] = append(tried[at.task], at.repeat)
			}
		}
	}
	fresh := make([]int, len(e.tasks)) // the next repeat that neither config has
	for j, list := range tried {
		slices.SortFunc(list, func(a, b int) int {
			return cmp.Or(cmp.Compare(e.cost(winner, champion, spot{j, a}), e.cost(winner, champion, spot{j, b})), cmp.Compare(a, b))
		})
	}
	var out []spot
	for round, more := 0, true; more && len(out) < limit; round++ {
		more = false
		for _, j := range tasks {
			repeat := 0
			if round < len(tried[j]) {
				repeat = tried[j][round]
			} else {
				for slices.Contains(tried[j], fresh[j]) {
					fresh[j]++
				}
				repeat = fresh[j]
				fresh[j]++
			}
			if maxRepeats > 0 && repeat >= maxRepeats {
				continue
			}
			more = true
			if len(out) < limit {
				out = append(out, spot{j, repeat})
			}
		}
	}
	return out
}

// cost returns the number of missing evaluations of two configs at a spot.
func (e *evidence) cost(a, b agent.ConfigID, at spot) int {
	n := 0
	for _, id := range []agent.ConfigID{a, b} {
		if !e.has(id, at) {
			n++
		}
	}
	return n
}
