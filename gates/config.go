package gates

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// ConfigChange is the input to the gates of a config proposal.
type ConfigChange struct {
	// Want is the config that was measured.
	Want agent.Config
	// Reload loads the config from the files as the proposal would write them.
	Reload func() (agent.Config, error)
	// Measured and Now are the hashes of everything on which the proposal depends, keyed
	// by name: Measured at the time of the run, and Now at present.
	Measured, Now map[string]string
	// Texts are the free texts of the config, keyed by parameter. Demonstrations are the
	// config's demonstrations, and Tasks are the tasks that they may demonstrate.
	Texts          map[string]string
	Demonstrations map[string][]agent.Demonstration
	Tasks          []bench.Task
	// Answers indexes the reference answers to every task.
	Answers *bench.AnswerIndex
	// Rehearse applies and reverts the change in a scratch folder.
	Rehearse func() error
}

// Config lists the gates for a config proposal.
func Config(c ConfigChange) []Gate {
	return []Gate{
		base(c.Measured, c.Now),
		{Name: "config", Check: func(context.Context) (Verdict, string) {
			got, err := c.Reload()
			if err != nil {
				return Failed, "the files do not load: " + err.Error()
			}
			if !got.Equal(c.Want) {
				return Failed, fmt.Sprintf("the files load as %s, but %s was measured", got.ID().Short(), c.Want.ID().Short())
			}
			return Passed, "the files load as exactly the config that was measured, " + c.Want.ID().Short()
		}},
		c.overlap(),
		rollback(c.Rehearse),
	}
}

// overlap returns the gate that fails if a text copies answers from the benchmark, or if a
// demonstration does so in a way that [bench.AnswerIndex.FindShown] reports.
func (c ConfigChange) overlap() Gate {
	g := overlap(c.Answers, func() (map[string]string, error) { return c.Texts, nil })
	if len(c.Demonstrations) == 0 {
		return g
	}
	texts := g.Check
	g.Check = func(ctx context.Context) (Verdict, string) {
		n := 0
		for _, name := range slices.Sorted(maps.Keys(c.Demonstrations)) {
			list := c.Demonstrations[name]
			if copied := c.Answers.FindShown(c.Tasks, list); len(copied) > 0 {
				return Failed, fmt.Sprintf("%s copies %q from the answer to task %s", name, copied[0].Words, copied[0].Task)
			}
			n += len(list)
		}
		verdict, why := texts(ctx)
		return verdict, fmt.Sprintf("%s; %s, none from a holdout task", why, text.Count(n, "demonstration"))
	}
	return g
}
