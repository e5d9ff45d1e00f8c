package gates

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/runtime/text"
)

// base returns the gate that fails a proposal if anything on which the proposal depends has
// changed.
func base(was, is map[string]string) Gate {
	return Gate{Name: "base", Check: func(context.Context) (Verdict, string) {
		if moved := Moved(was, is); len(moved) > 0 {
			return Failed, "changed since the proposal was measured: " + strings.Join(moved, ", ")
		}
		return Passed, text.Count(len(is), "input is unchanged since it was measured", "inputs are unchanged since they were measured")
	}}
}

// overlap returns the gate that fails a proposal whose texts copy answers from the
// benchmark.
func overlap(answers *bench.AnswerIndex, texts func() (map[string]string, error)) Gate {
	return Gate{Name: "overlap", Check: func(context.Context) (Verdict, string) {
		all, err := texts()
		if err != nil {
			return NotRun, "the text could not be read"
		}
		words := 0
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if copied := answers.Find(all[name]); len(copied) > 0 {
				return Failed, fmt.Sprintf("%s copies %q from the answer of task %s", name, copied[0].Words, copied[0].Task)
			}
			words += len(strings.Fields(all[name]))
		}
		return Passed, text.Count(words, "word") + " of free text, none copied from an answer"
	}}
}

// rollback returns the gate that fails a change that cannot be applied and reverted.
func rollback(rehearse func() error) Gate {
	return Gate{Name: "rollback", Check: func(context.Context) (Verdict, string) {
		if err := rehearse(); err != nil {
			return Failed, "rehearsing the rollback: " + err.Error()
		}
		return Passed, "rehearsed: the change was applied and rolled back, and the files were the same as before"
	}}
}

// Moved lists the names whose hashes differ or that exist on only one side.
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
