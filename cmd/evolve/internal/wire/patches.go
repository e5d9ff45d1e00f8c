package wire

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/runtime/authored"
	"evolve/runtime/model"
	"evolve/runtime/sandbox"
)

// Reviewer returns a Reviewer that makes and decides on proposals of configs, tools and
// skills, and that finishes decisions on patches.
func (h *Host) Reviewer(w *workspace.Workspace, with review.WithStore) *review.Reviewer {
	return &review.Reviewer{
		Archive: with, Workspace: w.Reviewed(), Env: h.Env, Now: h.Now, Sleep: h.Sleep,
		Check: func(ctx context.Context, d authored.Definition) authored.Report {
			pool := authored.NewPool(h.Sandbox(w).Sandbox(), 1)
			defer pool.Close()
			return pool.Check(ctx, d)
		},
		Program: w.Settings.Adoption.After, Branching: h.branching(w), Reached: h.Reached, Targets: w.PatchTargets(),
	}
}

// PatchReviewer returns a Reviewer that also handles proposals of patches.
func (h *Host) PatchReviewer(w *workspace.Workspace, with review.WithStore) *review.Reviewer {
	rev, box := h.Reviewer(w, with), h.Sandbox(w)
	rev.Scratch, rev.Cache = filepath.Join(w.StateDir(), "patches"), h.Env.userCache()
	rev.Sandbox, rev.Unsandboxed = func() sandbox.Sandbox { return box.Sandbox().WithPlaces() }, w.Settings.Patches.Sandbox == "none"
	rev.CodeReviewers, rev.Trial = h.reviewers(w), h.patchTrial(w)
	if !h.Quiet {
		rev.Notify = func(text string) { _, _ = fmt.Fprintln(h.Stderr, text) }
	}
	return rev
}

// PatchReader returns a Reviewer for reading only. It also works for a workspace that
// cannot be loaded.
func (h *Host) PatchReader(root string) *review.Reviewer {
	d := &review.Reviewer{Env: h.Env, Now: h.Now}
	if w, err := Load(root); err == nil {
		d.Targets, d.CodeReviewers = w.PatchTargets(), h.reviewers(w)
	}
	return d
}

// reviewers returns the agents that review patches, in the order in which they take turns.
func (h *Host) reviewers(w *workspace.Workspace) []review.CodeReviewer {
	ids := w.Settings.Patches.Reviewers
	if len(ids) == 0 {
		ids = w.AgentIDs()
	}
	var out []review.CodeReviewer
	for _, id := range ids {
		a, ok := w.Agent(id)
		if !ok {
			continue
		}
		r := review.CodeReviewer{Agent: id}
		switch {
		case a.Adapter.Kind != workspace.KindBuiltin:
			r.Cannot = "is a separate program, and only built-in agents review"
		case a.Adapter.Model == workspace.ModelHeuristic:
			r.Cannot = "uses the heuristic model, which cannot review"
		default:
			r.Open = func(context.Context) (model.Model, func() error, error) { return h.reviewModel(w, a) }
		}
		out = append(out, r)
	}
	return out
}

// reviewModel opens an agent's language model under the workspace's policies.
func (h *Host) reviewModel(w *workspace.Workspace, a *workspace.Agent) (model.Model, func() error, error) {
	agents, err := h.Agents(w)
	if err != nil {
		return nil, nil, err
	}
	return agents.route(a.ID, a.Adapter.Model)
}

// userCache returns the folder for build caches, which all workspaces of a user share. It
// returns "" if the user has no writable cache folder.
func (e Environment) userCache() string {
	dir := ""
	if cache := e.Get("XDG_CACHE_HOME"); filepath.IsAbs(cache) {
		dir = filepath.Join(cache, "evolve", "patches")
	} else if home := e.Get("HOME"); filepath.IsAbs(home) {
		dir = filepath.Join(home, ".cache", "evolve", "patches")
	}
	if dir == "" || os.MkdirAll(dir, 0o700) != nil || workspace.TryWrite(dir) != nil {
		return ""
	}
	return dir
}
