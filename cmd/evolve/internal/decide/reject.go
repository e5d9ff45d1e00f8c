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
	if landed, err := d.landed(p); err != nil {
		return p, err
	} else if !awaits(p.State) && (p.State != archive.Approved || landed) {
		return p, Refuse("`evolve show "+p.ID+"` tells its story", "%s is %s; it cannot be rejected", p.ID, strings.ReplaceAll(string(p.State), "_", " "))
	}
	decision := archive.DecisionRecord{Proposal: p.ID, Action: "reject", By: w.By, Reason: w.Reason, Time: d.Now(), Evidence: p.Evidence}
	p.State, p.Decision = archive.Rejected, brief(decision)
	closed, err := Closed(ctx, d.Archive, p.ID)
	if err != nil {
		return p, err
	}
	if err := d.Archive.Decide(ctx, decision, p, closed...); err != nil {
		return p, fmt.Errorf("recording the rejection: %w", err)
	}
	return p, nil
}

// landed reports whether the files of a proposal are as it wants them in what is checked
// out. An approval that git could not carry out has not landed, and may be rejected.
func (d *Desk) landed(p archive.ProposalRecord) (bool, error) {
	repo, err := d.repository()
	if repo == nil || err != nil {
		return false, err
	}
	_, head, err := repo.Head()
	if err != nil {
		return false, err
	}
	differ, err := astray(repo, head, p.Files, after)
	return len(differ) == 0, err
}
