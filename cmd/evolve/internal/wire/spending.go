package wire

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/mutate/night"
	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// spentToday returns a function that reports the usage since midnight UTC for the daily
// budgets of the policies, or nil if no policy has one. It reads the archive once. Usage
// is recorded for each evaluation and turn, not for each provider: every provider is
// charged with all of the day's money and tokens. So a budget is never overrun, but it may
// be spent too early if there are several providers.
func (h *Host) spentToday(w *workspace.Workspace) func(policy.Kind, string) policy.Usage {
	if !daily(w.Settings.Policies) {
		return nil
	}
	read := sync.OnceValue(func() spending { return h.spending(w.Root) })
	return func(kind policy.Kind, name string) policy.Usage {
		s := read()
		if kind == policy.Tool {
			return policy.Usage{Calls: s.tools[name]}
		}
		return policy.Usage{Calls: s.calls, Tokens: s.tokens, USD: s.usd}
	}
}

// daily reports whether any layer has a budget of a day.
func daily(b policy.Book) bool {
	if b.Environment.PerDay != (policy.Budget{}) {
		return true
	}
	for _, layers := range []map[string]policy.Settings{b.Origins, b.Roles, b.Tools, b.Providers} {
		for _, l := range layers {
			if l.PerDay != (policy.Budget{}) {
				return true
			}
		}
	}
	return false
}

// spending is what a day has cost so far.
type spending struct {
	calls, tokens int64
	usd           float64
	tools         map[string]int64
}

func (s *spending) add(u agent.Usage, t agent.Transcript) {
	s.calls += int64(u.Iterations)
	s.tokens += u.InputTokens + u.OutputTokens
	s.usd += u.CostUSD
	for _, name := range t.Tools() {
		s.tools[name]++
	}
}

// spending sums the evaluations, drafts and turns since midnight UTC. It ignores errors
// of the archive, which the run itself reports.
func (h *Host) spending(root string) spending {
	s := spending{tools: map[string]int64{}}
	store, err := archive.OpenRead(ArchiveDir(root))
	if err != nil {
		return s
	}
	defer func() { _ = store.Close() }()
	ctx, since := h.Ctx, h.Now().UTC().Truncate(24*time.Hour)
	for run, err := range store.Runs(ctx) {
		if err != nil {
			break
		}
		if !run.Ended.IsZero() && run.Ended.Before(since) {
			continue
		}
		for _, id := range run.Agents {
			addRun(ctx, store, run.ID, id, since, &s)
		}
	}
	for e, err := range store.Ledger(ctx, 1) {
		if err != nil {
			break
		}
		if e.Time.Before(since) {
			continue
		}
		var asked struct{ Usage agent.Usage } // of a draft, and of what a model wrote of a patch
		var cost review.Cost
		switch {
		case (e.Kind == night.DraftKind || e.Kind == batch.PatchNoteKind) && json.Unmarshal(e.Data, &asked) == nil && asked.Usage != (agent.Usage{}):
			asked.Usage.Iterations = 1
			s.add(asked.Usage, agent.Transcript{})
		case e.Kind == archive.CalibrationKind && json.Unmarshal(e.Data, &asked) == nil:
			s.add(asked.Usage, agent.Transcript{})
		case e.Kind == review.CostKind && json.Unmarshal(e.Data, &cost) == nil && cost.For == "review":
			s.add(agent.Usage{Iterations: 1, CostUSD: cost.USD}, agent.Transcript{})
		}
	}
	for t, err := range store.Turns(ctx) {
		if err != nil {
			break
		}
		if t.Created.Before(since) {
			continue
		}
		if whole, err := store.Turn(ctx, t.ID); err == nil {
			t = whole
		}
		s.add(t.Usage, t.Transcript)
	}
	return s
}

// addRun adds the evaluations of an agent in a run.
func addRun(ctx context.Context, store *archive.Archive, run, agentID string, since time.Time, s *spending) {
	for e, err := range store.Evaluations(ctx, run, agentID) {
		if err != nil {
			return
		}
		if e.Cached || e.Time.Before(since) {
			continue
		}
		t, err := store.Transcript(ctx, e.Key)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			t = agent.Transcript{}
		}
		s.add(e.Usage.Plus(e.Judge), t)
	}
}
