package review

import (
	"context"

	"evolve/archive"
)

// The values of Cost.For.
const (
	costTrial  = "trial"
	costReview = "review"
)

// costs adds an entry to the ledger with the money paid for work on a proposal, if any
// was paid.
func (s *session) costs(ctx context.Context, id, what string, usd float64) error {
	if usd <= 0 {
		return nil
	}
	_, err := s.note(ctx, CostKind, robot, id, Cost{Run: s.Run, USD: usd, For: what})
	return err
}

// charge records the money paid for a run of gates or a review that had no result.
func (rev *Reviewer) charge(ctx context.Context, p archive.ProposalRecord, what string, usd float64) error {
	if usd <= 0 {
		return nil
	}
	return rev.retryLocked(ctx, func(ctx context.Context, s *session) error {
		now, err := s.findPatch(ctx, p.ID)
		if err != nil {
			return err
		}
		now.Patch.CostUSD += usd
		if err := s.store.PutProposal(ctx, now); err != nil {
			return err
		}
		return s.costs(ctx, p.ID, what, usd)
	})
}
