package workspace

import (
	"maps"
	"slices"

	"evolve/bench"
	"evolve/bench/grade"
	"evolve/bench/stats"
)

// Units returns the number of independent tasks that tasks are worth, rounded down: the
// number of clusters if they have equal weights, and fewer otherwise
// ([stats.Independent]).
func Units(tasks []*bench.Task) int {
	weights := map[string]float64{}
	for _, t := range tasks {
		weights[t.Unit()] += t.Importance()
	}
	return int(stats.Independent(slices.Collect(maps.Values(weights))) + 1e-9)
}

// Graded reports whether a grader of any of the tasks may give partial scores.
func Graded(tasks []*bench.Task) bool { return slices.ContainsFunc(tasks, grade.Partial) }

// Control returns the error control of an agent across nights: the settings' level,
// shared among the entries of a month.
func (c Confirm) Control() stats.Control {
	control := stats.Monthly()
	control.Level = c.Level
	return control
}

// Blocks returns the maximum number of blocks that a night can pay for one candidate with
// the budget's share, in evaluations: a block is the champion and the candidate once on
// every holdout task. If a repeat is no new evidence (fixed) there is at most one block.
func (c Confirm) Blocks(budget, tasks int, fixed bool) int {
	if tasks == 0 {
		return 0
	}
	blocks := int(float64(budget)*c.Share) / (2 * tasks)
	if fixed {
		return min(1, blocks)
	}
	return blocks
}

// Design returns the design of a confirmation on so many holdout tasks, worth so many
// independent ones ([Units]), if a night can pay so many blocks for one candidate.
func (c Confirm) Design(blocks, tasks, units int, fixed bool) stats.Design {
	control := c.Control()
	tonight := float64(tasks * blocks)
	month := tonight
	if !fixed {
		month *= float64(control.Days)
	}
	return stats.Design{Tasks: tasks, Units: units, Tonight: tonight, Month: month, Alpha: control.Alpha(), Fixed: fixed}
}
