package wire

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"evolve/archive"
	"evolve/cmd/evolve/internal/decide"
	"evolve/cmd/evolve/internal/patching"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/authored"
	"evolve/runtime/model"
	"evolve/runtime/sandbox"
)

// Desk returns the desk at which proposals are drawn up and decided on.
func (h *Host) Desk(w *workspace.Workspace, a *archive.Archive) *decide.Desk {
	return &decide.Desk{
		Workspace: w, Archive: a, Env: h.Env, Now: h.Now, Reached: h.Reached,
		Check: func(ctx context.Context, d authored.Definition) authored.Report {
			pool := authored.NewPool(h.Sandbox(w).Sandbox(), 1)
			defer pool.Close()
			return pool.Check(ctx, d)
		},
	}
}

// PatchDesk returns the desk at which patches are proposed and decided.
func (h *Host) PatchDesk(w *workspace.Workspace, lend patching.Lender) *patching.Desk {
	set, box := w.Settings.Patches, h.Sandbox(w)
	told := func(text string) { _, _ = fmt.Fprintln(h.Stderr, text) }
	if h.Quiet {
		told = nil
	}
	return &patching.Desk{
		Archive: lend, Targets: patching.Targets(w), Env: h.Env, Now: h.Now, Scratch: filepath.Join(w.StateDir(), "patches"),
		Cache: h.Env.userCache(), Sandbox: func() sandbox.Sandbox { return box.Sandbox().WithPlaces() }, Unwalled: set.Sandbox == "none", Reviewers: h.reviewers(w),
		Trial: h.patchTrial(w), Told: told, Program: len(w.Settings.Adoption.After) > 0, Reached: h.Reached,
	}
}

// PatchReader returns a desk for reading only. It works with a workspace that cannot be
// loaded.
func (h *Host) PatchReader(root string) *patching.Desk {
	d := &patching.Desk{Env: h.Env, Now: h.Now}
	if w, err := Load(root); err == nil {
		d.Targets, d.Reviewers = patching.Targets(w), h.reviewers(w)
	}
	return d
}

// reviewers returns the agents that review patches, in the order of their turns.
func (h *Host) reviewers(w *workspace.Workspace) []patching.Reviewer {
	ids := w.Settings.Patches.Reviewers
	if len(ids) == 0 {
		ids = w.AgentIDs()
	}
	var out []patching.Reviewer
	for _, id := range ids {
		a, ok := w.Agent(id)
		if !ok {
			continue
		}
		r := patching.Reviewer{Agent: id}
		switch {
		case a.Adapter.Kind != workspace.KindBuiltin:
			r.Cannot = "is a program of its own, which is not asked to review"
		case a.Adapter.Model == workspace.ModelHeuristic:
			r.Cannot = "has the heuristic model, which cannot review"
		default:
			r.Open = func(context.Context) (model.Model, func() error, error) { return h.reviewModel(w, a) }
		}
		out = append(out, r)
	}
	return out
}

// reviewModel opens the language model of an agent under the workspace's policies.
func (h *Host) reviewModel(w *workspace.Workspace, a *workspace.Agent) (model.Model, func() error, error) {
	agents, err := h.Agents(w)
	if err != nil {
		return nil, nil, err
	}
	return agents.route(a.ID, a.Adapter.Model)
}

// userCache returns the folder for build caches, which all workspaces of a user share; ""
// if the user has no writable one.
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
