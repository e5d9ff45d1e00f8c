package model

import (
	"cmp"
	"slices"

	"evolve/archive"
	"evolve/runtime/experience"
)

// toolsOf returns a run's notes on an agent's tools: first the tools that should be
// changed, then those with the most calls.
func toolsOf(run archive.Run, agentID string) []archive.ToolNote {
	var out []archive.ToolNote
	for _, n := range run.Tools {
		if n.Agent == agentID {
			out = append(out, n)
		}
	}
	retained := func(n archive.ToolNote) int {
		if n.Remedy == experience.Retain {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(out, func(a, b archive.ToolNote) int {
		return cmp.Or(cmp.Compare(retained(a), retained(b)), cmp.Compare(b.Calls, a.Calls))
	})
	return out
}
