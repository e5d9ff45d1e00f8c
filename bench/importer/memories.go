package importer

import (
	"encoding/json"
	"fmt"
	"io"

	"evolve/runtime/agent"
)

// Memories reads a file as memories of an agent instead of tasks: each task with a goal
// and an answer becomes a memory of both. Notes describe what was left out.
func Memories(r io.Reader, o Options) ([]agent.Memory, []Note, error) {
	tasks, notes, err := Read(r, o)
	if err != nil {
		return nil, notes, err
	}
	memories := make([]agent.Memory, 0, len(tasks))
	for _, t := range tasks {
		if t.Goal == "" || t.Answer == nil {
			notes = append(notes, Note{0, fmt.Sprintf("%s left out: it has no goal and answer to remember", show(t.ID))})
			continue
		}
		memories = append(memories, agent.Memory{ID: t.ID, Domain: t.Domain, Text: t.Goal, Answer: *t.Answer, Source: "import"})
	}
	if len(memories) == 0 {
		return nil, notes, fmt.Errorf("nothing in the file can be remembered")
	}
	return memories, notes, nil
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
