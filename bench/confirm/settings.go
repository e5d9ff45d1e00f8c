package confirm

import (
	"maps"
	"slices"

	"evolve/bench"
	"evolve/bench/grade"
	"evolve/bench/stats"
)

// Settings are an operator's settings of the confirmation.
type Settings struct {
	// Finalists is the maximum number of variants that enter the confirmation in one
	// night; 3 by default.
	Finalists int
	// Level is the maximum expected number of false adoptions of an agent in any 30 days;
	// .05 by default.
	Level float64
	// Share is the share of the budget that is reserved for the confirmation; .65 by
	// default.
	Share float64
}

// DefaultSettings returns the defaults.
func DefaultSettings() Settings { return Settings{Finalists: 3, Level: .05, Share: .65} }

// Units returns the number of independent tasks to which the given tasks are equivalent,
// rounded down: the number of clusters if they have equal weights, and fewer otherwise
// ([stats.Independent]).
func Units(tasks []*bench.Task) int {
	return int(stats.Independent(slices.Collect(maps.Values(weights(tasks)))) + 1e-9)
}

// Clusters returns the number of clusters to which the tasks belong.
func Clusters(tasks []*bench.Task) int { return len(weights(tasks)) }

// weights returns the total weight of each cluster.
func weights(tasks []*bench.Task) map[string]float64 {
	weights := map[string]float64{}
	for _, t := range tasks {
		weights[t.Unit()] += t.Importance()
	}
	return weights
}

// Graded reports whether a grader of any of the tasks may give partial scores.
func Graded(tasks []*bench.Task) bool { return slices.ContainsFunc(tasks, grade.Partial) }

// Control returns the error control of an agent across nights: the settings' level,
// shared among the entries of a month.
func (s Settings) Control() stats.Control {
	control := stats.Monthly()
	control.Level = s.Level
	return control
}

// Blocks returns the maximum number of blocks for one candidate that a night can pay for
// from the confirmation's share of the budget, which is given in evaluations. A block
// evaluates the champion and the candidate once on every holdout task. If a repeat provides
// no new evidence (fixed), there is at most one block.
func (s Settings) Blocks(budget, tasks int, fixed bool) int {
	if tasks == 0 {
		return 0
	}
	blocks := int(float64(budget)*s.Share) / (2 * tasks)
	if fixed {
		return min(1, blocks)
	}
	return blocks
}

// Design returns the design of a confirmation on the holdout tasks if a night can pay for
// the given number of blocks for one candidate.
func (s Settings) Design(blocks int, holdout []*bench.Task, fixed bool) stats.Design {
	d := s.Sized(blocks, len(holdout), Units(holdout), fixed)
	d.Clusters = Clusters(holdout)
	return d
}

// Sized returns the design of a confirmation on the given number of holdout tasks, which
// are equivalent to the given number of independent tasks ([Units]).
func (s Settings) Sized(blocks, tasks, units int, fixed bool) stats.Design {
	control := s.Control()
	tonight := float64(tasks * blocks)
	month := tonight
	if !fixed {
		month *= float64(control.Days)
	}
	return stats.Design{Tasks: tasks, Units: units, Tonight: tonight, Month: month, Alpha: control.Alpha(), Fixed: fixed}
}
