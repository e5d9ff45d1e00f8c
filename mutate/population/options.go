package population

import (
	"errors"
	"slices"

	"evolve/mutate"
	"evolve/mutate/operator"
	"evolve/mutate/selection"
	"evolve/runtime/agent"
)

// Options configures a search. The embedded options must have a Space, a Champion, Tasks
// and a Budget; Guards and BaselineShare are not used.
type Options struct {
	mutate.Options
	// Operators make the variants, together with the models of Author; at least one of the
	// two is required.
	Operators []operator.Operator
	// Normal returns the normal form of a config; equal forms mean equal programs. If nil,
	// the identity of the config is used.
	Normal func(agent.Config) string
	// Size returns the size of a program; if Size is nil, the size is the number of bytes
	// in the program's texts. Of the programs that behave alike, only the smallest
	// becomes a parent.
	Size func(agent.Config) int
	// Apart, if not nil, returns a key for a config. Variants that behave alike are
	// nevertheless different parents if their keys differ.
	Apart func(agent.Config) string
	// Measured holds results of this run from before the search began; these evaluations
	// are not paid for again.
	Measured []mutate.Observation
	// Authored are the parameters that language models rewrite; nil means all.
	Authored []string
	// Stages are the numbers of cases after which a variant is either continued or dropped,
	// in ascending order; nil means 10, 60, 200. Numbers larger than the number of cases
	// mean all cases.
	Stages []int
	// Probe is the number of cases after which a variant is dropped if it is unlikely to be
	// better than the champion, or if it behaves like a variant that is not larger; 0 means
	// 3. There is no probe if the first stage does not have more cases than the probe.
	Probe int
	// Islands is the number of islands; 0 means 4.
	Islands int
}

const (
	defaultProbe     = 3
	defaultIslands   = 4
	defaultFinalists = 3
)

// defaultStages returns stages like those of AlphaEvolve's evaluation cascades.
func defaultStages() []int { return []int{10, 60, 200} }

// checked returns the options with defaults filled in, or an error.
func (o Options) checked() (Options, error) {
	switch {
	case len(o.Tasks) == 0:
		return o, errors.New("a search needs cases")
	case o.Budget < 1:
		return o, errors.New("a search needs a budget of one evaluation or more")
	case len(o.Operators) == 0 && o.Author == nil:
		return o, errors.New("a search over programs needs operators or a language model")
	}
	if o.Islands == 0 {
		o.Islands = defaultIslands
	}
	if o.Finalists == 0 {
		o.Finalists = defaultFinalists
	}
	if o.Normal == nil {
		o.Normal = func(c agent.Config) string { return string(c.ID()) }
	}
	if o.Size == nil {
		o.Size = bytes
	}
	if o.Authored == nil {
		o.Authored = o.Space.Names()
	}
	if len(o.Stages) == 0 {
		o.Stages = defaultStages()
	}
	stages := slices.Clone(o.Stages)
	for i := range stages {
		stages[i] = min(max(1, stages[i]), len(o.Tasks))
	}
	slices.Sort(stages)
	o.Stages = slices.Compact(stages)
	if o.Probe <= 0 {
		o.Probe = defaultProbe
	}
	o.Probe = min(o.Probe, o.Stages[0])
	_, err := selection.Named(o.Selection)
	return o, err
}

// bytes returns the number of bytes of a config's texts.
func bytes(c agent.Config) int {
	n := 0
	for name := range c {
		n += len(c.String(name))
	}
	return n
}
