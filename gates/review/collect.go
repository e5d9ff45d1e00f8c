package review

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/authored"
	"evolve/runtime/text"
)

// maxCollected is the maximum number of tools that one night proposes for an agent.
const maxCollected = 3

// CollectTools proposes the tools that were written and successfully called in evaluations
// of a run that solved their tasks. It makes one proposal for each distinct content,
// beginning with the tools with the most such evaluations. It reads only evaluations of
// search tasks. It does not make any tool callable.
func (rev *Reviewer) CollectTools(ctx context.Context, agentID, run string) ([]archive.ProposalRecord, error) {
	return inSession(ctx, rev, func(s *session) ([]archive.ProposalRecord, error) { return s.collectTools(ctx, agentID, run) })
}

func (s *session) collectTools(ctx context.Context, agentID, run string) ([]archive.ProposalRecord, error) {
	a, err := s.proposer(agentID)
	if err != nil {
		return nil, err
	}
	found, err := s.toolsWritten(ctx, a, run)
	if err != nil {
		return nil, err
	}
	var out []archive.ProposalRecord
	for _, w := range found {
		if w.solved == 0 || len(out) == maxCollected {
			continue
		}
		p, err := s.proposeTool(ctx, a.ID, run, w.def, w.about(run))
		if errors.As(err, new(*RefusedError)) {
			continue
		}
		if err != nil {
			return out, err
		}
		if Undecided(p.State) {
			out = append(out, p)
		}
	}
	return out, nil
}

// written is a tool that was written in evaluations, together with the counts and scores of
// these evaluations.
type written struct {
	def                 authored.Definition
	evaluations, solved int
	calls, ok           int
	tasks               map[string]bool
	score, others       float64 // sums of scores
	beside              int     // the number of others
}

// about describes how often a tool was written and called, and the mean scores with and
// without it. These scores are observations, not confirmed results.
func (w *written) about(run string) string {
	words := fmt.Sprintf("written in %s of %s in run %s; %d of these evaluations solved their task; mean score %s", text.Count(w.evaluations, "evaluation"), text.Count(len(w.tasks), "search task"), run, w.solved, text.Score(w.score/float64(w.evaluations)))
	if w.beside > 0 {
		words += fmt.Sprintf(" against %s in %s of these tasks", text.Score(w.others/float64(w.beside)), text.Count(w.beside, "other evaluation"))
	}
	return words + fmt.Sprintf("; calls: %d, successful: %d; the scores are not confirmed results", w.calls, w.ok)
}

// toolsWritten returns the tools that were written and successfully called in evaluations
// of search tasks. Those with the most evaluations that solved their task come first.
func (s *session) toolsWritten(ctx context.Context, a *Agent, run string) ([]*written, error) {
	search := map[string]bool{}
	for _, suite := range a.Suites {
		for _, t := range suite.Side(bench.Search) {
			search[t.ID] = true
		}
	}
	var evals []bench.Evaluation
	for e, err := range s.store.Evaluations(ctx, run, a.ID) {
		if err != nil {
			return nil, fmt.Errorf("reading the evaluations of run %s: %w", run, err)
		}
		if e.Split == bench.Search && e.Scored && search[e.Task] && len(evals) < maxTrajectories {
			evals = append(evals, e)
		}
	}
	byContent := map[string]*written{}
	users := map[string]map[bench.Key]bool{}
	for _, e := range evals {
		t, err := s.store.Transcript(ctx, e.Key)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading a transcript: %w", err)
		}
		for content, w := range draftsOf(t) {
			if byContent[content] == nil {
				w.tasks = map[string]bool{}
				byContent[content], users[content] = w, map[bench.Key]bool{}
			} else {
				byContent[content].calls += w.calls
				byContent[content].ok += w.ok
			}
			w = byContent[content]
			users[content][e.Key], w.tasks[e.Task] = true, true
			w.evaluations++
			w.score += e.Score
			if e.Score >= solved {
				w.solved++
			}
		}
	}
	var out []*written
	for content, w := range byContent {
		for _, e := range evals {
			if w.tasks[e.Task] && !users[content][e.Key] {
				w.others += e.Score
				w.beside++
			}
		}
		out = append(out, w)
	}
	slices.SortFunc(out, func(x, y *written) int {
		return cmp.Or(cmp.Compare(y.solved, x.solved), cmp.Compare(x.def.Name, y.def.Name), cmp.Compare(x.def.Hash(), y.def.Hash()), cmp.Compare(string(x.def.Draft()), string(y.def.Draft())))
	})
	return out, nil
}

// draftsOf returns the tools that a turn wrote, called successfully, and made a change
// request for. They are keyed by content.
func draftsOf(t agent.Transcript) map[string]*written {
	calls := map[string][2]int{}
	out := map[string]*written{}
	for _, e := range t.Events {
		switch e.Kind {
		case agent.EventDraft:
			var n struct{ Calls, OK int }
			if len(e.Data) > 0 && json.Unmarshal(e.Data, &n) == nil {
				calls[e.Name] = [2]int{n.Calls, n.OK}
			}
		case agent.EventRequest:
			var q agent.ChangeRequest
			if json.Unmarshal(e.Data, &q) != nil || q.Type != "tool" || q.Tool != "tool_create" {
				continue
			}
			d, err := authored.ParseDraft(q.Arguments)
			if n := calls[d.Name]; err == nil && n[1] > 0 {
				out[string(d.Draft())] = &written{def: d, calls: n[0], ok: n[1]}
			}
		}
	}
	return out
}
