package cli

import (
	"context"
	"fmt"

	"evolve/archive"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
)

// staleness finds the proposals of configs that are stale in the current workspace.
type staleness struct {
	w *workspace.Workspace
}

// newStaleness loads the workspace. If that fails, no staleness is known: `evolve doctor`
// reports the mistakes, and an approval refuses.
func newStaleness(root string) staleness {
	w, err := wire.Load(root)
	if err != nil {
		return staleness{}
	}
	return staleness{w}
}

// of lists what changed since a proposal was measured; known is false if that is unknown.
func (s staleness) of(ctx context.Context, a *archive.Archive, id string) (moved []string, known bool, err error) {
	if s.w == nil {
		return nil, false, nil
	}
	p, err := a.Proposal(ctx, id)
	if err != nil {
		return nil, false, fmt.Errorf("reading proposal %s: %w", id, err)
	}
	if !p.AwaitsConfig() || p.Kind != archive.KindConfig {
		return nil, false, nil
	}
	for i := range s.w.Agents {
		if s.w.Agents[i].ID == p.Agent {
			return review.Stale(p, workspace.BaseOf(&s.w.Agents[i], s.w.Suites), s.w.Agents[i].Champion.ID()), true, nil
		}
	}
	return []string{"agents/" + p.Agent}, true, nil // it is gone
}

// mark notes on lines of proposals that they are stale.
func (s staleness) mark(ctx context.Context, a *archive.Archive, lines []proposalLine) error {
	for i := range lines {
		var err error
		if lines[i].Stale, _, err = s.of(ctx, a, lines[i].ID); err != nil {
			return err
		}
	}
	return nil
}
