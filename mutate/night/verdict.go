package night

import (
	"context"
	"fmt"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/confirm"
	"evolve/bench/stats"
	"evolve/mutate/evidence"
)

// conclude stores the findings of the confirmation in the result.
func (n *night) conclude(c *confirm.Confirmation) {
	if len(c.Turns()) > 0 {
		g := n.grounds()
		n.result.Grounds = &g
	}
	for _, t := range c.Turns() {
		n.result.Finalist = append(n.result.Finalist, archive.Finalist{
			Variant: t.Entry.Variant, Comparison: t.Ruling.Comparison, SearchDifference: t.Entry.Gain, Accepted: t.Ruling.State == stats.Proven,
			Reason: t.Ruling.Reason, Ruling: &t.Ruling, Runs: t.Entry.Runs,
			Judged: &archive.Judged{Alpha: t.Entry.Alpha, Projected: t.Entry.Projected, Blocks: t.Entry.Blocks},
		})
	}
	n.result.Blocks = c.Blocks()
	d := c.Conclude(n.result.SearchDone, n.design())
	n.result.Verdict, n.result.Reason, n.result.Causes, n.result.Detectable = d.Verdict, d.Sentence, d.Causes, finite(d.Detectable)
	if d.Winner >= 0 {
		n.result.Winner = n.result.Finalist[d.Winner].Variant
	}
	ledger := entryLedger(c.Control, c.Entries(), n.Now())
	n.result.Entries = &ledger
}

// design returns the budget of this confirmation, with the variances that were known
// before it.
func (n *night) design() stats.Design {
	return n.Settings.Confirm.Design(n.Plan.Repeats, len(n.sample.Holdout), confirm.Units(n.sample.Holdout), n.Agent.Fixed()).With(n.Variances)
}

// propose drafts the proposal of the winner and submits it. The result is stored first: an
// approval compares the proposal with it, and the run may end before its work does.
func (n *night) propose(ctx context.Context) error {
	if err := n.Archive.PutResult(ctx, n.result); err != nil {
		return fmt.Errorf("%w: recording the result: %w", bench.ErrRecorder, err)
	}
	for _, f := range n.result.Finalist {
		if f.Variant != n.result.Winner {
			continue
		}
		v, err := n.Archive.Variant(ctx, n.Agent.ID, f.Variant)
		if err != nil {
			return fmt.Errorf("reading the winner: %w", err)
		}
		digest, err := evidence.Digest(*n.Plan, n.result.Grounds, f)
		if err != nil {
			return err
		}
		id, err := n.Propose(ctx, Draft{
			Variant: v, Evidence: digest, Rationale: n.result.Reason,
			Rests: &archive.Rests{Runs: f.Runs, Against: n.Plan.Reference()},
		})
		if err != nil {
			return fmt.Errorf("making the proposal: %w", err)
		}
		if id != "" {
			n.result.Proposals = append(n.result.Proposals, id)
		}
	}
	return nil
}

// grounds are what tonight's rulings are computed from besides evaluations.
func (n *night) grounds() archive.Grounds {
	return archive.Grounds{
		Against: n.Plan.Reference(), Fixed: n.Agent.Fixed(), Tasks: evidence.Tasks(n.sample.Holdout), Bounds: n.Agent.Guards,
	}
}
