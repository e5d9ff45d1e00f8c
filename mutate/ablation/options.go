package ablation

import (
	"errors"
	"fmt"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// Options of a minimisation. Space, Champion, Winner, Tasks and Budget are required.
type Options struct {
	Space            agent.Space
	Champion, Winner agent.Config
	// Tasks are the search tasks.
	Tasks []mutate.Task
	// Budget is the number of evaluations to ask for at most.
	Budget int
	Seed   int64
	// MaxRepeats bounds the repeats of one (config, task); 0: no bound. 1 says that the
	// agent ignores the seed: an evaluation is the truth about its task.
	MaxRepeats int
	// Known are evaluations of search tasks that were made already, of whatever config. They
	// are used where they fit and not asked for again. Those of the stage ablate are an
	// interrupted minimisation's and count against the budget.
	Known []mutate.Observation
}

func (o Options) check() error {
	if problems := o.Space.Check(); len(problems) > 0 {
		return fmt.Errorf("the space: %s", problems[0])
	}
	if len(o.Tasks) == 0 {
		return errors.New("a minimisation needs tasks")
	}
	if o.Budget < 1 {
		return errors.New("a minimisation needs a budget of at least one evaluation")
	}
	seen := map[string]bool{}
	for _, t := range o.Tasks {
		if seen[t.ID] {
			return fmt.Errorf("two tasks are called %q", t.ID)
		}
		seen[t.ID] = true
	}
	return nil
}
