package night

import (
	"context"
	"fmt"

	"evolve/bench"
	"evolve/bench/confirm"
	"evolve/mutate"
)

// release moves half of the evaluations reserved for the confirmation to the search when
// there is nothing to confirm, because no variant is ahead or no more variants may enter.
// made is the number of evaluations that the search has made, and rec is the search's
// recommendation. One block stays reserved, so that a variant found later can be
// confirmed. release reports whether the search can continue.
func (n *night) release(ctx context.Context, rec mutate.Recommendation, made int) (bool, error) {
	if n.Plan.Confirm == 0 || n.blocking != "" || rec.Exhausted {
		return false, nil
	}
	if wanted, err := n.hasCandidate(ctx, rec); err != nil || wanted {
		return false, err
	}
	plan, released, total := *n.Plan, n.released, n.Share.Evaluations
	if n.Share.adaptive() {
		n.measure()
		n.updateForecast()
		total = n.allowed
	}
	for n.Plan.Search <= made || n.released == released {
		n.released = (1 + n.released) / 2
		if n.distribute(total); n.Plan.Confirm == 0 {
			*n.Plan, n.released = plan, released
			return false, nil
		}
	}
	n.Plan.Released += max(0, plan.Confirm-n.Plan.Confirm)
	n.reserve(n.Plan.Ablate + n.Plan.Confirm)
	return true, nil
}

// hasCandidate reports whether a confirmation would accept a variant of rec, or a variant
// whose entry earlier nights left open.
func (n *night) hasCandidate(ctx context.Context, rec mutate.Recommendation) (bool, error) {
	// The checks below read the archive, so it must be up to date.
	if err := n.Archive.Flush(context.WithoutCancel(ctx)); err != nil {
		return false, fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	if err := n.prune(ctx, &rec); err != nil {
		return false, err
	}
	setup, err := n.setup(ctx, &rec)
	if err != nil {
		return false, err
	}
	c, err := confirm.Open(ctx, n.world(func(int) bool { return true }), setup)
	if err != nil {
		return false, err
	}
	return c.Wanted(ctx)
}
