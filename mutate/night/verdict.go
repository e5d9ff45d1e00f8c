package night

import (
	"context"
	"fmt"
	"slices"

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
	n.result.Finalist = nil
	for _, t := range c.Turns() {
		n.result.Finalist = append(n.result.Finalist, archive.Finalist{
			Variant: t.Entry.Variant, Comparison: t.Ruling.Comparison, SearchDifference: t.Entry.Gain, Accepted: t.Ruling.State == stats.Proven,
			Reason: t.Ruling.Reason, Ruling: &t.Ruling, Runs: t.Entry.Runs,
			Judged: &archive.Judged{Alpha: t.Entry.Alpha, Projected: t.Entry.Projected, Blocks: t.Entry.Blocks},
		})
	}
	n.result.Blocks = c.Blocks()
	n.decide(c)
	ledger := entryLedger(c.Control, c.Spent(), n.Now())
	n.result.Entries = &ledger
}

// decide sets the verdict from the confirmation and the proposals that gates refused.
func (n *night) decide(c *confirm.Confirmation) {
	d := c.Conclude(n.result.SearchDone, n.design(), n.result.Refused)
	n.result.Verdict, n.result.Reason, n.result.Causes, n.result.Detectable = d.Verdict, d.Sentence, d.Causes, finite(d.Detectable)
	n.result.Winner = ""
	if d.Winner >= 0 {
		n.result.Winner = n.result.Finalist[d.Winner].Variant
	}
	n.markWaiting(c)
}

// design returns the budget of this confirmation, with the variances that were known before
// the confirmation.
func (n *night) design() stats.Design {
	return n.Settings.Confirm.Design(n.Plan.Repeats, n.sample.Holdout, n.Agent.Fixed()).With(n.Variances)
}

// propose drafts the proposal of the winner and submits it. If the gates refuse the
// proposal, the next confirmed finalist follows. open reports whether the gates refused all
// confirmed finalists, so that another candidate may be confirmed. The result is stored
// first, because an approval compares the proposal with the result, and the run may end
// before its work is done.
func (n *night) propose(ctx context.Context, c *confirm.Confirmation) (open bool, err error) {
	for n.result.Winner != "" {
		if err := n.Archive.PutResult(ctx, n.result); err != nil {
			return false, fmt.Errorf("%w: recording the result: %w", bench.ErrRecorder, err)
		}
		done, err := n.submit(ctx)
		if err != nil {
			return false, err
		}
		if done.ID != "" {
			n.result.Proposals = append(n.result.Proposals, done.ID)
		}
		if done.Refused == nil {
			return false, nil
		}
		n.result.Refused, open = append(n.result.Refused, *done.Refused), !done.Refused.NotRun
		n.decide(c)
	}
	return open, nil
}

// submit makes a proposal for the winner.
func (n *night) submit(ctx context.Context) (Proposed, error) {
	at := slices.IndexFunc(n.result.Finalist, func(f archive.Finalist) bool { return f.Variant == n.result.Winner })
	f := n.result.Finalist[at]
	v, err := n.Archive.Variant(ctx, n.Agent.ID, f.Variant)
	if err != nil {
		return Proposed{}, fmt.Errorf("reading the winner: %w", err)
	}
	digest, err := evidence.Digest(*n.Plan, n.result.Grounds, f)
	if err != nil {
		return Proposed{}, err
	}
	done, err := n.Propose(ctx, Draft{
		Variant: v, Evidence: digest, Rationale: n.result.Reason, Ruling: f.Ruling,
		Rests: &archive.Rests{Runs: f.Runs, Against: n.Plan.Reference()},
	})
	if err != nil {
		return Proposed{}, fmt.Errorf("making the proposal: %w", err)
	}
	return done, nil
}

// grounds returns all inputs of tonight's rulings except the evaluations.
func (n *night) grounds() archive.Grounds {
	return archive.Grounds{
		Against: n.Plan.Reference(), Fixed: n.Agent.Fixed(), Metric: n.Agent.Metric, Tasks: evidence.Tasks(n.sample.Holdout), Bounds: n.Agent.Guards,
		Wording: stats.Wording,
	}
}
