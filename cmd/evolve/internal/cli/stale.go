package cli

import (
	"context"
	"fmt"

	"evolve/archive"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
)

// movedSince lists what has changed in the workspace since the config of a proposal was
// measured. known is false if that cannot be determined, for example because the workspace
// cannot be loaded; `evolve doctor` then reports the mistakes, and `evolve approve` fails.
// present is called only if the proposal can be stale.
func movedSince(ctx context.Context, present func() *workspace.Workspace, a *archive.Archive, id string) (moved []string, known bool, err error) {
	p, err := a.Proposal(ctx, id)
	if err != nil {
		return nil, false, fmt.Errorf("reading proposal %s: %w", id, err)
	}
	if !p.AwaitsConfig() || p.Kind != archive.KindConfig {
		return nil, false, nil
	}
	w := present()
	if w == nil {
		return nil, false, nil
	}
	if of, ok := w.Agent(p.Agent); ok {
		moved, err = review.Stale(ctx, a, p, workspace.BaseOf(of, w.Suites), w.SuitesOf(of), of.Champion.ID())
		return moved, true, err
	}
	return []string{"agents/" + p.Agent}, true, nil // it is gone
}

// loaded returns a function that returns a workspace that is already loaded.
func loaded(w *workspace.Workspace) func() *workspace.Workspace {
	return func() *workspace.Workspace { return w }
}

// loadable returns the workspace at root, or nil if it has mistakes and cannot be loaded.
func loadable(root string) *workspace.Workspace {
	w, err := wire.Load(root)
	if err != nil {
		return nil
	}
	return w
}

// markStale marks the stale proposals in a list, and the memory proposals that have been
// overtaken.
func markStale(ctx context.Context, w *workspace.Workspace, a *archive.Archive, lines []proposalLine) error {
	for i := range lines {
		var err error
		if lines[i].Stale, _, err = movedSince(ctx, loaded(w), a, lines[i].ID); err != nil {
			return err
		}
		if lines[i].Overtaken, err = overtaken(ctx, w, a, lines[i]); err != nil {
			return err
		}
	}
	return nil
}

// overtaken lists the memories that a waiting proposal adds or marks needlessly; it returns
// nil if the workspace cannot be loaded.
func overtaken(ctx context.Context, w *workspace.Workspace, a *archive.Archive, l proposalLine) ([]string, error) {
	if w == nil || l.Kind != archive.KindMemory || !review.Undecided(l.State) {
		return nil, nil
	}
	of, ok := w.Agent(l.Agent)
	if !ok {
		return nil, nil
	}
	p, err := a.Proposal(ctx, l.ID)
	if err != nil {
		return nil, fmt.Errorf("reading proposal %s: %w", l.ID, err)
	}
	return review.Overtaken(p, of.Memories), nil
}
