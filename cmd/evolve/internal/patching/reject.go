package patching

import (
	"context"
	"fmt"
	"strings"

	"evolve/archive"
	"evolve/cmd/evolve/internal/decide"
)

// Reject closes a patch with a reason. Its commit stays on its ref.
func (d *Desk) Reject(ctx context.Context, id string, w decide.Word) (Done, error) {
	if _, err := decide.Person(w.By); err != nil {
		return Done{}, err
	}
	if strings.TrimSpace(w.Reason) == "" {
		return Done{}, decide.Refuse("--reason \"…\" tells tomorrow's reader why", "a rejection needs a reason")
	}
	var p archive.ProposalRecord
	err := d.Archive(ctx, func(a *archive.Archive) (err error) {
		if p, err = find(ctx, a, id); err != nil {
			return err
		}
		if !Undecided(p.State) {
			return decide.Refuse("`evolve show "+p.ID+"` tells its story", "%s is %s; it cannot be rejected", p.ID, stateName(p.State))
		}
		decision := archive.DecisionRecord{Proposal: p.ID, Action: "reject", By: w.By, Reason: w.Reason, Time: d.Now(), Evidence: p.Patch.Digest}
		p.State, p.Decision = archive.Rejected, brief(decision)
		closed, err := decide.Closed(ctx, a, p.ID)
		if err != nil {
			return err
		}
		if err := a.Decide(ctx, decision, p, closed...); err != nil {
			return fmt.Errorf("recording the rejection: %w", err)
		}
		return nil
	})
	return Done{Proposal: p}, err
}
