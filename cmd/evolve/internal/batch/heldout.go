package batch

import (
	"context"
	"fmt"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// HeldOut finds traces of the holdout tasks in live turns. Such traces are texts from a
// conversation from which a holdout task was made, and passages from the answer to a
// holdout task. Evaluations and the models that write drafts must not read these traces, or
// results on the holdout would measure what was remembered.
type HeldOut struct {
	sessions map[string]bool // sessions, and turns without a session
	turns    map[string]bool // of these conversations
	answers  *bench.AnswerIndex
}

// FindHeldOut finds the traces of holdout tasks for the suites of a workspace. With a nil
// archive there are no turns.
func FindHeldOut(ctx context.Context, w *workspace.Workspace, store *archive.Archive) (HeldOut, error) {
	h := HeldOut{sessions: map[string]bool{}, turns: map[string]bool{}}
	var tasks []bench.Task
	for _, s := range w.Suites {
		for _, t := range s.Tasks {
			if t.Split == bench.Search {
				continue
			}
			tasks = append(tasks, t)
			if t.Source != nil && t.Source.File == "" && t.Source.Session != "" {
				h.sessions[t.Source.Session] = true
			}
		}
	}
	h.answers = bench.IndexAnswers(tasks)
	if len(h.sessions) == 0 || store == nil {
		return h, nil
	}
	for t, err := range store.Turns(ctx) {
		if err != nil {
			return h, fmt.Errorf("reading the turns that holdout tasks were made from: %w", err)
		}
		if h.sessions[t.ID] || h.sessions[t.Session] {
			h.turns[t.ID] = true
		}
	}
	return h, nil
}

// Quoted reports whether a quotation must be withheld. If any conversations are held out, a
// quotation from an unknown turn must be withheld too.
func (h HeldOut) Quoted(x experience.Excerpt) bool {
	if x.Turn == "" && x.Session == "" && len(h.sessions) > 0 {
		return true
	}
	return h.sessions[x.Session] || h.sessions[x.Turn] || h.turns[x.Turn] || len(h.answers.Find(x.Text)) > 0
}

// Without returns the memories that were not learnt in held-out conversations, and the ids
// of the others.
func (h HeldOut) Without(list []agent.Memory, scrub func(string) string) (left []agent.Memory, withheld []string) {
	if len(h.sessions) == 0 {
		return list, nil
	}
	for _, m := range list {
		if h.learnt(m, scrub) {
			withheld = append(withheld, m.ID)
		} else {
			left = append(left, m)
		}
	}
	return left, withheld
}

func (h HeldOut) learnt(m agent.Memory, scrub func(string) string) bool {
	for name := range h.sessions {
		if review.LearntIn(m, name, h.turns, scrub) {
			return true
		}
	}
	return false
}
