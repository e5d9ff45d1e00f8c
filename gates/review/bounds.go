package review

import (
	"context"
	"errors"

	"evolve/archive"
)

// Bound refuses a proposal that differs from the ledger's digests of it, or for which the
// ledger has none.
func Bound(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) error {
	err := a.CheckBound(ctx, p)
	var b *archive.BoundError
	if !errors.As(err, &b) || len(b.Differs) > 0 {
		return err
	}
	if p.Variant == "" {
		return Refuse("reject it and propose the same change again", "an older evolve made %s: %s", p.ID, b)
	}
	return Refuse("reject it; `evolve propose "+p.Variant.Short()+"` proposes the variant again", "an older evolve made %s: %s", p.ID, b)
}

// unaltered refuses a proposal that differs from the ledger's digests of it. A proposal
// without digests in the ledger passes.
func unaltered(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) error {
	err := a.CheckBound(ctx, p)
	var b *archive.BoundError
	if errors.As(err, &b) && len(b.Differs) == 0 {
		return nil
	}
	return err
}
