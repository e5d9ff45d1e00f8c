package importer

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/runtime/agent"
	visible "evolve/runtime/text"
)

// Memories reads a file as memories of an agent instead of tasks: each task with a goal
// and an answer becomes a memory that contains both. Notes describe the omissions.
func Memories(r io.Reader, o Options) ([]agent.Memory, []Note, error) {
	tasks, notes, err := Read(r, o)
	if err != nil {
		return nil, notes, err
	}
	notes = append(notes, unremembered(tasks)...)
	memories := make([]agent.Memory, 0, len(tasks))
	for _, t := range tasks {
		if t.Goal == "" || t.Answer == nil {
			notes = append(notes, Note{Text: fmt.Sprintf("%s left out: it has no goal or no answer to remember", show(t.ID))})
			continue
		}
		memories = append(memories, agent.Memory{ID: t.ID, Domain: t.Domain, Text: t.Goal, Answer: *t.Answer, Source: "import"})
	}
	if len(memories) == 0 {
		return nil, notes, fmt.Errorf("no task in the file has both a goal and an answer to remember")
	}
	return memories, notes, nil
}

// unremembered returns notes on the fields of tasks that memories do not have.
func unremembered(tasks []bench.Task) []Note {
	var notes []Note
	for what, has := range map[string]func(t *bench.Task) bool{
		"tags":                                 func(t *bench.Task) bool { return len(t.Tags) > 0 },
		"clusters":                             func(t *bench.Task) bool { return t.Cluster != "" },
		"graders and further accepted answers": func(t *bench.Task) bool { return len(t.Graders) > 0 },
	} {
		n := 0
		for i := range tasks {
			if has(&tasks[i]) {
				n++
			}
		}
		if n > 0 {
			notes = append(notes, Note{Text: fmt.Sprintf("the %s of %s are not imported, because memories cannot contain them", what, visible.Count(n, "task")), Whole: true})
		}
	}
	slices.SortFunc(notes, func(a, b Note) int { return strings.Compare(a.Text, b.Text) })
	return notes
}

// WriteMemories writes memories as JSONL.
func WriteMemories(w io.Writer, memories []agent.Memory) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range memories {
		if err := enc.Encode(&memories[i]); err != nil {
			return fmt.Errorf("write memory %q: %w", memories[i].ID, err)
		}
	}
	return nil
}
