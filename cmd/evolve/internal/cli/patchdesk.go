package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/patching"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/model"
	"evolve/runtime/sandbox"
)

// patchDesk returns the desk at which patches are proposed and decided.
func (sh *shell) patchDesk(c *cli.Context, w *workspace.Workspace, lend patching.Lender) *patching.Desk {
	set, around := w.Settings.Patches, sh.newWalls(w)
	told := func(text string) { _, _ = fmt.Fprintln(sh.stderr, text) }
	if c.Bool("quiet") {
		told = nil
	}
	return &patching.Desk{
		Archive: lend, Targets: patching.Targets(w), Env: sh.env, Now: sh.now, Scratch: filepath.Join(w.StateDir(), "patches"),
		Cache: sh.userCache(), Walls: func() sandbox.Walls { return around.sandbox().WithPlaces() }, Unwalled: set.Sandbox == "none", Reviewers: sh.reviewers(c, w),
		Trial: sh.patchTrial(c, w), Told: told, Program: len(w.Settings.Adoption.After) > 0, Reached: sh.reached,
	}
}

// lender opens the archive of a workspace for short work and closes it again, so that
// others can use it while gates run.
func (sh *shell) lender(root, owner string) patching.Lender {
	return func(_ context.Context, work func(*archive.Archive) error) error {
		a, err := sh.writer(root, owner)
		if err != nil {
			return err
		}
		return errors.Join(work(a), a.Close())
	}
}

// patchReader returns a desk for reading only. It works with a workspace that cannot be
// loaded.
func (sh *shell) patchReader(root string) *patching.Desk {
	d := &patching.Desk{Env: sh.env, Now: sh.now}
	if w, err := workspace.Load(root, builtins()); err == nil {
		d.Targets, d.Reviewers = patching.Targets(w), sh.reviewers(nil, w)
	}
	return d
}

// reviewers returns the agents that review patches, in the order of their turns.
func (sh *shell) reviewers(c *cli.Context, w *workspace.Workspace) []patching.Reviewer {
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
			r.Open = func(context.Context) (model.Model, func() error, error) { return sh.reviewModel(c, w, a) }
		}
		out = append(out, r)
	}
	return out
}

// reviewModel opens the language model of an agent under the workspace's policies.
func (sh *shell) reviewModel(c *cli.Context, w *workspace.Workspace, a *workspace.Agent) (model.Model, func() error, error) {
	crew, err := sh.newCrew(w, sh.logger(c), sh.today(w))
	if err != nil {
		return nil, nil, err
	}
	models, err := sh.newModels(w, crew.walls.scrubber.String)
	if err != nil {
		return nil, nil, err
	}
	router, err := models.router(a.ID, a.Adapter.Model, crew.guard, crew.walls.scrubber.String)
	if err != nil {
		return nil, nil, errors.Join(err, models.close())
	}
	return router, func() error { router.Close(); return models.close() }, nil
}
