package model

import (
	"cmp"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Leading returns the index of the finalist on which the verdict rests, or -1 if there are
// no finalists. This is the winner or, if there is none, the subject of the first cause. In
// records without causes, it is the finalist with the strongest claim and, among equal
// claims, the most evidence; in records from before sequential rulings, it is the finalist
// with the lowest adjusted p-value.
func Leading(result archive.AgentResult) int {
	best := -1
	for i, f := range result.Finalist {
		if best < 0 || before(result, f, result.Finalist[best]) {
			best = i
		}
	}
	return best
}

// before reports whether f precedes g in the order of [Leading]. The order is stable.
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

// rank compares two conditions. It returns 1 if only the first holds, -1 if only the second
// does, and 0 otherwise.
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
