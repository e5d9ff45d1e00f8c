package contest

import (
	"evolve/mutate"
	"evolve/mutate/internal/lab/problem"
	"evolve/runtime/agent"
)

// remembered returns the results of an earlier night on the problem as it was, with the same
// budget. The night's search is the genetic one, so that a change of the project's searcher
// does not change its history.
func remembered(d *Desk) []mutate.Remembered {
	start := processorTime()
	defer func() { d.worked += processorTime() - start }()
	var list []mutate.Remembered
	night := NewDesk(d.Problem.Earlier, d.Budget, d.Seed)
	night.sold = func(c agent.Config, task int, r problem.Result) {
		list = append(list, mutate.Remembered{Variant: c.ID(), Config: c, Task: night.Problem.Tasks[task].ID, Score: r.Score, Trust: 1})
	}
	genetic(night, 1)
	return list
}
