package review

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"evolve/archive"
	"evolve/patch"
)

// Reject closes a proposal with a reason. The proposal's commit stays on its ref. If the
// proposal was approved but git has not carried out the approval, Reject withdraws the
// approval: the decision names it, and files that an interrupted git wrote are restored.
func (rev *Reviewer) Reject(ctx context.Context, id string, d Decision) (Done, error) {
	if _, err := rev.person(d.By); err != nil {
		return Done{}, err
	}
	if strings.TrimSpace(d.Reason) == "" {
		return Done{}, Refuse("--reason \"…\" records the reason for later readers", "a rejection needs a reason")
	}
	p, err := inSession(ctx, rev, func(s *session) (archive.ProposalRecord, error) { return s.reject(ctx, id, d) })
	return Done{Proposal: p}, err
}

func (s *session) reject(ctx context.Context, id string, d Decision) (archive.ProposalRecord, error) {
	p, err := s.find(ctx, id)
	if err != nil {
		return p, err
	}
	record := archive.DecisionRecord{Proposal: p.ID, Action: "reject", By: d.By, Reason: d.Reason, Time: s.Now(), Evidence: evidenceOf(p)}
	closable := Undecided(p.State)
	if p.State == archive.Approved {
		if closable, err = s.withdraw(ctx, p, &record); err != nil {
			return p, err
		}
	}
	if !closable {
		return p, Refuse("`evolve show "+p.ID+"` shows its history", "%s is %s; it cannot be rejected", p.ID, p.State.Name())
	}
	p.State, p.Decision = archive.Rejected, brief(record)
	closed, err := s.closed(ctx, p.ID)
	if err != nil {
		return p, err
	}
	if err := s.store.Decide(ctx, record, p, closed...); err != nil {
		return p, fmt.Errorf("recording the rejection: %w", err)
	}
	return p, nil
}

// Withdraw closes an undecided proposal that a command made but could not complete.
// Withdrawing is not a person's decision, and it closes no other proposals.
func (rev *Reviewer) Withdraw(ctx context.Context, id, why string) error {
	_, err := inSession(ctx, rev, func(s *session) (archive.ProposalRecord, error) {
		p, err := s.find(ctx, id)
		if err != nil || !Undecided(p.State) {
			return p, err
		}
		p.State = archive.Expired
		return p, s.record(ctx, p, "proposal.expire", robot, map[string]string{"why": why})
	})
	return err
}

// withdraw prepares the record of a rejection that withdraws an approval: it adds the
// approval to the record. It also restores files that an interrupted git wrote. It
// returns false if HEAD already has the new content of the files: the approval can then
// no longer be withdrawn.
func (s *session) withdraw(ctx context.Context, p archive.ProposalRecord, record *archive.DecisionRecord) (bool, error) {
	repo, err := s.subjectOf(p).repository()
	if err != nil {
		return false, err
	}
	in, err := s.store.Intent(ctx, p.ID)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return false, fmt.Errorf("reading the unfinished decisions: %w", err)
	}
	if repo != nil {
		_, head, err := repo.Head()
		if err != nil {
			return false, err
		}
		if landed, err := holds(repo, head, files(p)); err != nil || landed {
			return false, err
		}
		if in.Stage == archive.IntentCommit && in.Commit != "" {
			err := repo.PutBack(ctx, in.Branch, in.Base, in.Commit)
			var left *patch.StrandedError
			if errors.As(err, &left) {
				return false, Refuse("restore or commit these files, then repeat the command", "%s", left)
			}
			if err != nil {
				return false, fmt.Errorf("restoring the files: %w", err)
			}
		}
	}
	record.Withdraws = archive.DecisionBrief{Action: "approve", By: in.By, Reason: in.Reason, Time: in.Time}
	if p.Decision != nil {
		record.Withdraws = *p.Decision
	}
	return true, nil
}

// closed returns a proposal's unfinished intent, marked as done, so that it can be stored
// together with a rejection. It returns no intent if none is unfinished.
func (s *session) closed(ctx context.Context, id string) ([]archive.Intent, error) {
	in, err := s.store.Intent(ctx, id)
	if errors.Is(err, archive.ErrNotFound) || err == nil && in.Stage == archive.IntentDone {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the unfinished decisions: %w", err)
	}
	in.Stage = archive.IntentDone
	return []archive.Intent{in}, nil
}
