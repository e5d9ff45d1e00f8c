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
	// Budget is the maximum number of evaluations. If it is 0, decisions are based only on
	// the evidence in Known.
	Budget int
	Seed   int64
	// MaxRepeats is the maximum number of repeats for a config and a task; 0 means no
	// limit. 1 means that the agent ignores the seed, so one evaluation gives the exact
	// score.
	MaxRepeats int
	// Hunks divides texts into hunks of neighbouring changed lines, as is usual for source
	// code. A part of the change is then removed only if no task has a lower score without
	// it, and the parts that stay are tried alone. Hunks requires MaxRepeats 1.
	Hunks bool
	// Smaller returns attempts to make texts for a parameter that lie nearer to base than
	// text does, each without a part of the change. They are tried if no whole hunk can
	// be removed. "Nearer" must be an order in which every text has only finitely many
	// nearer texts. Smaller requires Hunks; if Smaller is nil, no such attempts are made.
	Smaller func(param, base, text string) []tokens.Attempt
	// ByModel reverts changes based on the model alone if the budget is too small to
	// compare the reduced config with the winner. It is meant for a night in which such
	// comparisons have already confirmed the model. For an agent without randomness it is
	// not needed.
	ByModel bool
	// Known yields existing evaluations of any configs on search tasks. They are used if
	// possible and not asked for again; nil means that there are none.
	Known iter.Seq[mutate.Observation]
	// Model is a model fitted to Known and to the results of earlier ablations with the
	// same champion, space and tasks; if nil, a new model is used.
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
		return errors.New("an ablation needs tasks")
	}
	if o.Hunks && o.MaxRepeats != 1 {
		return errors.New("an ablation by hunks needs an agent whose scores do not vary between repeats")
	}
	if o.Budget < 0 {
		return errors.New("the budget of an ablation cannot be negative")
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
