package patching

import (
	"context"
	"fmt"
	"strings"

	"evolve/archive"
	"evolve/cmd/evolve/internal/decide"
	"evolve/patch"
)

// Reject closes a patch with a reason. Its commit stays on its ref. An approval that git has
// not carried out is withdrawn, as by [decide.Desk.Reject].
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
		repo, err := d.unlanded(p)
		if err != nil {
			return err
		}
		if !Undecided(p.State) && repo == nil {
			return decide.Refuse("`evolve show "+p.ID+"` tells its story", "%s is %s; it cannot be rejected", p.ID, stateName(p.State))
		}
		decision := archive.DecisionRecord{Proposal: p.ID, Action: "reject", By: w.By, Reason: w.Reason, Time: d.Now(), Evidence: p.Patch.Digest}
		if repo != nil {
			if decision.Withdraws, err = decide.Withdrawn(ctx, a, repo, p); err != nil {
				return err
			}
		}
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

// unlanded returns the repository of an approved patch whose change is not in the commit
// that is checked out there; nil for every other patch.
func (d *Desk) unlanded(p archive.ProposalRecord) (*patch.Repository, error) {
	if p.State != archive.Approved {
		return nil, nil
	}
	t, err := d.targetOf(p)
	if err != nil {
		return nil, err
	}
	repo, err := d.open(t)
	if err != nil {
		return nil, err
	}
	_, head, err := repo.Head()
	if err != nil {
		return nil, err
	}
	landed, err := holds(repo, head, Change(p), after)
	if err != nil || landed {
		return nil, err
	}
	return repo, nil
}
