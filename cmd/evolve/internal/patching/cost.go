package patching

import (
	"context"

	"evolve/archive"
)

// The values of Cost.For.
const (
	costTrial  = "trial"
	costReview = "review"
)

// costs records in the ledger what was paid for a proposal; it records nothing if nothing
// was paid.
func (d *Desk) costs(ctx context.Context, a *archive.Archive, id, what string, usd float64) error {
	if usd <= 0 {
		return nil
	}
	_, err := d.note(ctx, a, CostKind, robot, id, Cost{Run: d.Run, USD: usd, For: what})
	return err
}

// charge records what was paid for a passage without a result.
func (d *Desk) charge(ctx context.Context, p archive.ProposalRecord, what string, usd float64) error {
	if usd <= 0 {
		return nil
	}
	return d.Archive.Patiently(ctx, func(ctx context.Context, a *archive.Archive) error {
		now, err := find(ctx, a, p.ID)
		if err != nil {
			return err
		}
		now.Patch.CostUSD += usd
		if err := a.PutProposal(ctx, now); err != nil {
			return err
		}
		return d.costs(ctx, a, p.ID, what, usd)
	})
}
