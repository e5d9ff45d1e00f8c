package ablation

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"evolve/runtime/agent"
)

// spotsFor lists where configs are compared, in order: rounds in which every task stands
// once, in an order of chance, each time at the repeat where most of the two configs have
// been tried already. What was tried is known, what came out of it plays no part: spots
// chosen by luck would flatter or harm. At most limit of them.
func (e *evidence) spotsFor(winner, champion agent.ConfigID, maxRepeats, limit int, rng *rand.Rand) []spot {
	tasks := rng.Perm(len(e.tasks))
	tried := make([][]int, len(e.tasks)) // repeats with either, those with both first
	for _, id := range []agent.ConfigID{winner, champion} {
		for at := range e.by[id] {
			if !slices.Contains(tried[at.task], at.repeat) && (maxRepeats <= 0 || at.repeat < maxRepeats) {
				tried[at.task] = append(tried[at.task], at.repeat)
			}
		}
	}
	fresh := make([]int, len(e.tasks)) // the next repeat that neither has
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

// cost counts the evaluations that a spot lacks of some configs.
func (e *evidence) cost(a, b agent.ConfigID, at spot) int {
	n := 0
	for _, id := range []agent.ConfigID{a, b} {
		if !e.has(id, at) {
			n++
		}
	}
	return n
}
