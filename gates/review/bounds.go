package review

import (
	"context"
	"errors"

	"evolve/archive"
)

// Bound refuses a proposal that does not match its digests in the ledger, or for which the
// ledger has no digests.
func Bound(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) error {
	err := a.CheckBound(ctx, p)
	var b *archive.BoundError
	if !errors.As(err, &b) || len(b.Differs) > 0 {
		return err
	}
	if p.Variant == "" {
		return Refuse("reject the proposal and propose the same change again", "%s was made by an older version of evolve: %s", p.ID, b)
	}
	return Refuse("reject the proposal; `evolve propose "+p.Variant.Short()+"` proposes the variant again", "%s was made by an older version of evolve: %s", p.ID, b)
}

// unaltered refuses a proposal that does not match its digests in the ledger. It accepts a
// proposal for which the ledger has no digests.
func unaltered(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) error {
	err := a.CheckBound(ctx, p)
	var b *archive.BoundError
	if errors.As(err, &b) && len(b.Differs) == 0 {
		return nil
	}
	return err
}
