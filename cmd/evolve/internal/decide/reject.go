package decide

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"evolve/archive"
	"evolve/patch"
)

// Reject closes a proposal with a reason. Its commit stays on its ref. An approval that
// git has not carried out is withdrawn: the decision names it, and files that an
// interrupted git wrote are restored.
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
	if p.State == archive.Approved {
		repo, err := d.repository()
		if err == nil {
			decision.Withdraws, err = Withdrawn(ctx, d.Archive, repo, p)
		}
		if err != nil {
			return p, err
		}
	}
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

// landed reports whether HEAD has the new content of a proposal's files. An approval that
// git could not carry out has not landed, and may be rejected.
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

// Withdrawn returns the approval of a proposal that is rejected before a commit carried
// it out. It restores files that an interrupted git wrote; repo may be nil.
func Withdrawn(ctx context.Context, a *archive.Archive, repo *patch.Repository, p archive.ProposalRecord) (archive.DecisionBrief, error) {
	in, err := a.Intent(ctx, p.ID)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return archive.DecisionBrief{}, fmt.Errorf("reading what is left to do: %w", err)
	}
	if repo != nil && in.Stage == archive.IntentCommit && in.Commit != "" {
		err := repo.PutBack(ctx, in.Branch, in.Base, in.Commit)
		var left *patch.StrandedError
		if errors.As(err, &left) {
			return archive.DecisionBrief{}, Refuse("restore or commit them, then repeat the command", "%s", left)
		}
		if err != nil {
			return archive.DecisionBrief{}, fmt.Errorf("putting files back: %w", err)
		}
	}
	if p.Decision == nil {
		return archive.DecisionBrief{Action: "approve", By: in.By, Reason: in.Reason, Time: in.Time}, nil
	}
	return *p.Decision, nil
}
