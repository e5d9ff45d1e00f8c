package gates

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/runtime/agent"
)

// ConfigChange is what the gates of a config proposal look at.
type ConfigChange struct {
	// Want is the config that was measured.
	Want agent.Config
	// Reload reads the config back from the files that the proposal would write.
	Reload func() (agent.Config, error)
	// Measured and Now are the hashes of everything the proposal depends on, by
	// name: as the run saw them, and as they are.
	Measured, Now map[string]string
	// Texts are the free texts of the config, by parameter.
	Texts map[string]string
	// Answers knows the reference answers of every task.
	Answers *bench.AnswerIndex
	// Rehearse applies the change and takes it back in a scratch place.
	Rehearse func() error
}

// Config lists the gates of a config proposal.
func Config(c ConfigChange) []Gate {
	return []Gate{
		{"base", func(context.Context) (Verdict, string) {
			if moved := Moved(c.Measured, c.Now); len(moved) > 0 {
				return Failed, "changed since it was measured: " + strings.Join(moved, ", ")
			}
			return Passed, fmt.Sprintf("%d inputs are as they were measured", len(c.Now))
		}},
		{"config", func(context.Context) (Verdict, string) {
			got, err := c.Reload()
			if err != nil {
				return Failed, "the files do not load: " + err.Error()
			}
			if !got.Equal(c.Want) {
				return Failed, fmt.Sprintf("the files load as %s, measured was %s", got.ID().Short(), c.Want.ID().Short())
			}
			return Passed, "the files load as exactly the config that was measured, " + c.Want.ID().Short()
		}},
		{"overlap", func(context.Context) (Verdict, string) { return overlap(c) }},
		{"rollback", func(context.Context) (Verdict, string) {
			if err := c.Rehearse(); err != nil {
				return Failed, "rehearsing the rollback: " + err.Error()
			}
			return Passed, "rehearsed: applied and taken back, and everything was as before"
		}},
	}
}

// overlap fails a config whose texts copy from the answers of the benchmark.
func overlap(c ConfigChange) (Verdict, string) {
	words := 0
	for _, name := range slices.Sorted(maps.Keys(c.Texts)) {
		if copied := c.Answers.Find(c.Texts[name]); len(copied) > 0 {
			return Failed, fmt.Sprintf("%s copies %q from the answer of task %s", name, copied[0].Words, copied[0].Task)
		}
		words += len(strings.Fields(c.Texts[name]))
	}
	return Passed, fmt.Sprintf("%d words of free text, none copied from an answer", words)
}

// Moved lists the names whose hashes differ, or that only one side has.
func Moved(was, is map[string]string) []string {
	var out []string
	for name, h := range was {
		if is[name] != h {
			out = append(out, name)
		}
	}
	for name := range is {
		if _, ok := was[name]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
