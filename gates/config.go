package gates

import (
	"context"
	"fmt"

	"evolve/bench"
	"evolve/runtime/agent"
)

// ConfigChange is the input of the gates of a config proposal.
type ConfigChange struct {
	// Want is the config that was measured.
	Want agent.Config
	// Reload reads the config again from the files that the proposal would write.
	Reload func() (agent.Config, error)
	// Measured and Now are the hashes of everything the proposal depends on, by name: at
	// the time of the run, and now.
	Measured, Now map[string]string
	// Texts are the free texts of the config, by parameter.
	Texts map[string]string
	// Answers indexes the reference answers of every task.
	Answers *bench.AnswerIndex
	// Rehearse applies and reverts the change in a scratch folder.
	Rehearse func() error
}

// Config lists the gates of a config proposal.
func Config(c ConfigChange) []Gate {
	return []Gate{
		base(c.Measured, c.Now),
		{Name: "config", Check: func(context.Context) (Verdict, string) {
			got, err := c.Reload()
			if err != nil {
				return Failed, "the files do not load: " + err.Error()
			}
			if !got.Equal(c.Want) {
				return Failed, fmt.Sprintf("the files load as %s, measured was %s", got.ID().Short(), c.Want.ID().Short())
			}
			return Passed, "the files load as exactly the config that was measured, " + c.Want.ID().Short()
		}},
		overlap(c.Answers, func() (map[string]string, error) { return c.Texts, nil }),
		rollback(c.Rehearse),
	}
}
