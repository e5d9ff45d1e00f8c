package wire

import (
	"cmp"
	"context"
	"os"
	"slices"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/mutate/night"
	"evolve/patch"
	"evolve/runtime/authored"
	"evolve/runtime/model"
	"evolve/runtime/policy"
)

// Night returns the options of a nightly run and the factory of its agents. The options
// in given override the settings. [AgentFactory.Attach] completes the options.
func (h *Host) Night(w *workspace.Workspace, given batch.Given, resume batch.Resume) (batch.Options, *AgentFactory, error) {
	set := w.Settings
	budget := set.Budget.Override(given.Budget)
	until, err := Deadline(budget.Until, h.Now())
	if err != nil {
		return batch.Options{}, nil, err
	}
	given.Until = until
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	agents, err := h.Agents(w)
	if err != nil {
		return batch.Options{}, nil, err
	}
	agents.Reflects = true
	opts := batch.Options{
		Workspace: w, Agents: given.Agents, Stages: given.Stages, Budget: budget, Until: until,
		Concurrency: cmp.Or(given.Concurrency, set.Search.Concurrency), Lookahead: cmp.Or(given.Lookahead, set.Search.Lookahead),
		Seed: given.Seed, Selection: cmp.Or(given.Selection, set.Search.Selection), Resume: resume, Given: given,
		History: func() (batch.History, error) {
			repo, err := patch.Open(w.Root, h.Env)
			if err == nil {
				_, _, err = repo.Head()
			}
			return repo, err
		},
		Turns: StoredTurns, Open: agents.Open, OpenCode: agents.OpenCode, Guards: agents.Guard.Stats, Binary: agents.Binary, Host: host,
		Live: func() ([]policy.Saturation, error) {
			live, err := LiveLimits(w.Root, h.Now())
			return live[:min(len(live), mostLiveTargets)], err
		},
		Env: night.Env{
			Grading: func(suites []*bench.Suite, judge model.Model, judged []bench.Evaluation) (bench.GradeFunc, error) {
				return agents.Sandbox.Grading(suites, judge, judged...), nil
			},
			Scrub: agents.Sandbox.Scrubber.String, Now: h.Now, Sleep: h.Sleep, Log: h.Log,
		},
	}
	if len(set.Patches.Targets) > 0 {
		opts.Patches = h.PatchReviewer(w, nil)
	}
	if set.Patches.Write != "" && opts.Patches != nil {
		opts.Writer = func(_ context.Context, a *workspace.Agent) (model.Model, func() error, error) {
			return agents.Writer(a)
		}
	}
	if routes := set.Search.Reflect.Routes; len(routes) > 0 {
		opts.Author = func(a *workspace.Agent) (model.Model, func() error, error) { return agents.route(a.ID, routes[0].Name) }
		opts.Forge = &batch.Forge{Tools: Definitions}
	}
	return opts, agents, nil
}

// Attach adds the open archive to a run's options, together with the functions that read it
// and make proposals in it.
func (f *AgentFactory) Attach(opts *batch.Options, a *archive.Archive) {
	opts.Archive, f.Store, f.earlier = a, a, f.spentByRun(a)
	rev := f.host.Reviewer(opts.Workspace, review.Opened(a))
	opts.Propose = func(ctx context.Context, a *workspace.Agent, d review.Draft) (archive.ProposalRecord, error) {
		return rev.ProposeConfig(ctx, a.ID, d)
	}
	opts.Skill = func(ctx context.Context, a *workspace.Agent, run string) (*archive.ProposalRecord, error) {
		return rev.DraftSkill(ctx, a.ID, run)
	}
	opts.Tools = func(ctx context.Context, a *workspace.Agent, run string) ([]archive.ProposalRecord, error) {
		if !slices.Contains(a.Allow, "tool_create") {
			return nil, nil
		}
		return rev.CollectTools(ctx, a.ID, run)
	}
	opts.Memories = func(ctx context.Context, a *workspace.Agent, run string) (*archive.ProposalRecord, error) {
		learned, err := rev.ProposeMemories(ctx, a.ID, run, f.Sandbox.Scrubber.String)
		if err != nil || !learned.New {
			return nil, err
		}
		return learned.Proposal, nil
	}
	opts.Missed = func(ctx context.Context, a *workspace.Agent) ([]string, error) {
		return Missed(ctx, a, opts.Workspace, opts.Archive)
	}
	if opts.Forge != nil {
		opts.Forge.Check = rev.Check
		opts.Forge.Propose = func(ctx context.Context, a *workspace.Agent, run string, d authored.Definition, why string) (archive.ProposalRecord, error) {
			return rev.ProposeWrittenTool(ctx, a.ID, run, d, why)
		}
	}
	if opts.Patches != nil {
		opts.Patches.Archive = review.Opened(a)
		opts.Asked = func(ctx context.Context, run string) ([]review.Submission, error) {
			return AskedPatches(ctx, opts.Workspace, a, run)
		}
	}
}

// Deadline returns the next occurrence of the time of day hh:mm.
func Deadline(hhmm string, now time.Time) (time.Time, error) {
	if hhmm == "" {
		return time.Time{}, nil
	}
	t, err := time.ParseInLocation("15:04", hhmm, now.Location())
	if err != nil {
		return time.Time{}, exit.Errorf(exit.Usage, "write it like 06:00", "--until %q is not a time of day", hhmm)
	}
	at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location())
	if !at.After(now) {
		at = time.Date(now.Year(), now.Month(), now.Day()+1, t.Hour(), t.Minute(), 0, 0, now.Location())
	}
	return at, nil
}
