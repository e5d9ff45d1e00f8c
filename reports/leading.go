package reports

import (
	"cmp"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Leading finds the finalist that the verdict rests on, -1 without any: the winner; otherwise the one
// that its first cause is about. Of records without causes it is the one with the strongest claim, then
// the most evidence, and of finalists of before rulings were sequential that with the lowest
// adjusted p-value.
func Leading(result archive.AgentResult) int {
	best := -1
	for i, f := range result.Finalist {
		if best < 0 || before(result, f, result.Finalist[best]) {
			best = i
		}
	}
	return best
}

// before reports whether f stands before g in the order of [Leading]. Of equals the
// first stays first.
func before(result archive.AgentResult, f, g archive.Finalist) bool {
	subject := agent.ConfigID("")
	if len(result.Causes) > 0 {
		subject = agent.ConfigID(result.Causes[0].Subject)
	}
	order := cmp.Or(
		rank(f.Variant == result.Winner, g.Variant == result.Winner),
		rank(f.Variant == subject, g.Variant == subject),
		rank(f.Accepted, g.Accepted),
	)
	switch {
	case order != 0:
	case f.Ruling != nil && g.Ruling != nil:
		order = cmp.Or(cmp.Compare(claimRank(f.Ruling), claimRank(g.Ruling)), cmp.Compare(f.Ruling.LogE, g.Ruling.LogE))
	case f.Accepted:
		order = cmp.Compare(f.Comparison.Lo, g.Comparison.Lo)
	default:
		order = cmp.Or(cmp.Compare(g.Adjusted, f.Adjusted), cmp.Compare(f.Comparison.Difference, g.Comparison.Difference))
	}
	return order > 0
}

// rank compares two conditions: 1 when only the first holds.
func rank(a, b bool) int {
	switch {
	case a && !b:
		return 1
	case b && !a:
		return -1
	}
	return 0
}

func claimRank(r *stats.Ruling) int {
	switch r.Claim {
	case stats.NewTasks:
		return 2
	case stats.TheseTasks:
		return 1
	}
	return 0
}
