package decide

import (
	"context"
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/evidence"
)

// grounded recomputes the claim of a proposal from the stored evaluations. It fails with
// archive.ErrCorrupt if the result differs from the proposal or from the result of its
// run. It refuses a proposal whose claim cannot be recomputed or no longer holds under
// the current settings.
func (d *Desk) grounded(ctx context.Context, a *workspace.Agent, p archive.ProposalRecord) error {
	err := evidence.Proposal(ctx, d.Archive, p, d.Workspace.Rules(a))
	var shifted *evidence.Shifted
	switch {
	case err == nil:
		return nil
	case errors.As(err, &shifted):
		return Refuse("`evolve run` measures it again; `evolve help workspace` explains guards and confirm", "%s was measured under other settings: %s", p.ID, shifted)
	case errors.Is(err, evidence.ErrNoRuling):
		return Refuse("`evolve run --resume` goes on with the run, and finds the ruling again", "%s cannot be approved: %s", p.ID, err)
	case errors.Is(err, evidence.ErrGone):
		return Refuse("`evolve run` measures it again", "the claim of %s cannot be computed again: %s", p.ID, err)
	}
	return fmt.Errorf("the claim of %s: %w", p.ID, err)
}
