package ablation

import (
	"errors"
	"fmt"
	"iter"

	"evolve/mutate"
	"evolve/mutate/tokens"
	"evolve/runtime/agent"
)

// Options configures an ablation. Space, Champion, Winner, Tasks and Budget are required.
type Options struct {
	Space            agent.Space
	Champion, Winner agent.Config
	// Tasks are the search tasks.
	Tasks []mutate.Task
	// Budget is the maximum number of evaluations. With 0 the evidence of Known decides.
	Budget int
	Seed   int64
	// MaxRepeats bounds the repeats of one (config, task); 0: no bound. 1 means that the
	// agent ignores the seed, so that an evaluation gives the exact score.
	MaxRepeats int
	// Hunks divides texts into hunks, which are neighbouring changed lines, as for source
	// code. A part of the change is then removed only if no task has a lower score without
	// it, and the parts that stay are tried alone. It needs MaxRepeats 1.
	Hunks bool
	// Smaller returns attempts to make texts of a parameter that are nearer to base than text is.
	// Each lacks a part of the change; they are tried when no whole hunk can be removed. "Nearer"
	// must be an order in which every text has finitely many nearer ones. Smaller needs Hunks;
	// nil: none.
	Smaller func(param, base, text string) []tokens.Attempt
	// ByModel reverts changes by the model alone where the budget is too small for a comparison
	// of what is left with the winner. It is for a night in which such comparisons have confirmed
	// the model. An agent without randomness needs no comparison.
	ByModel bool
	// Known are existing evaluations of search tasks, of any configs. They are used where
	// possible and not asked for again; nil: none.
	Known iter.Seq[mutate.Observation]
	// Model is fitted to Known and to the results of earlier ablations with the same
	// champion, space and tasks; nil: a new one.
	Model *mutate.Surrogate
}

// known yields Known.
func (o Options) known() iter.Seq[mutate.Observation] {
	if o.Known == nil {
		return func(func(mutate.Observation) bool) {}
	}
	return o.Known
}

func (o Options) check() error {
	if problems := o.Space.Check(); len(problems) > 0 {
		return fmt.Errorf("the space: %s", problems[0])
	}
	if len(o.Tasks) == 0 {
		return errors.New("a minimisation needs tasks")
	}
	if o.Hunks && o.MaxRepeats != 1 {
		return errors.New("an ablation by hunks needs an agent whose scores are exact")
	}
	if o.Budget < 0 {
		return errors.New("a minimisation's budget cannot be negative")
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
