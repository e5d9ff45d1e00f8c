package decide

import (
	"context"
	"fmt"
	"strings"

	"evolve/archive"
)

// Reject closes a proposal with a reason. Its commit stays on its ref.
func (d *Desk) Reject(ctx context.Context, id string, w Word) (archive.ProposalRecord, error) {
	p, err := d.proposal(ctx, id)
	if err != nil {
		return p, err
	}
	if _, err := Person(w.By); err != nil {
		return p, err
	}
	if strings.TrimSpace(w.Reason) == "" {
		return p, Refuse("--reason \"…\" tells tomorrow's reader why", "a rejection needs a reason")
	}
	if !awaits(p.State) {
		return p, Refuse("`evolve show "+p.ID+"` tells its story", "%s is %s; it cannot be rejected", p.ID, strings.ReplaceAll(string(p.State), "_", " "))
	}
	decision := archive.DecisionRecord{Proposal: p.ID, Action: "reject", By: w.By, Reason: w.Reason, Time: d.Now(), Evidence: p.Evidence}
	p.State, p.Decision = archive.Rejected, brief(decision)
	if err := d.Archive.Decide(ctx, decision, p); err != nil {
		return p, fmt.Errorf("recording the rejection: %w", err)
	}
	return p, nil
}
