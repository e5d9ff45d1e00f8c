package patching

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/cmd/evolve/internal/decide"
	"evolve/patch/quota"
)

// The kinds of ledger entry that only patches have.
const (
	entryAttempt = "patch.attempt" // somebody proposed a patch, whatever became of it
	entryRefused = "patch.refused" // and was turned away before anything was looked at
	entryRegate  = "patch.regate"  // it was gated again on another base
	entryReview  = "patch.review"  // another agent looked at it
	entryCreate  = "proposal.create"
	entryAdopted = "proposal.adopted"
)

// attempt is what the ledger keeps of a submission before anything is looked at.
type attempt struct {
	Target string `json:"target"`
	Origin string `json:"origin"`
	// Submitted is the hash of the text that was handed in.
	Submitted string `json:"submitted"`
	Rationale string `json:"rationale,omitempty"`
	// Why says what turned it away.
	Why string `json:"why,omitempty"`
}

// past is what the ledger tells of attempts and adoptions.
func (d *Desk) past(ctx context.Context) ([]quota.Attempt, error) {
	var out []quota.Attempt
	for e, err := range d.Archive.Ledger(ctx, 1) {
		if err != nil {
			return nil, fmt.Errorf("reading the ledger: %w", err)
		}
		switch {
		case e.Kind == entryAttempt:
			out = append(out, quota.Attempt{Agent: e.Actor, Time: e.Time})
		case e.Kind == entryAdopted && kindOf(e) == archive.KindPatch:
			out = append(out, quota.Attempt{Adopted: e.Time}) // no attempt of whoever approved
		}
	}
	return out, nil
}

// kindOf is the kind of proposal that an entry is about, where it says so.
func kindOf(e archive.LedgerEntry) archive.ProposalKind {
	var told struct {
		Kind archive.ProposalKind `json:"kind"`
	}
	if json.Unmarshal(e.Data, &told) != nil {
		return ""
	}
	return told.Kind
}

// admit enters a submission into the ledger before anything of it is looked at, so
// that a crash counts as well, and turns away who has had a try within the hour.
// Persons are not agents: their hand is their own limit.
func (d *Desk) admit(ctx context.Context, s Submission, hash string) error {
	told := attempt{Target: s.Target, Origin: s.Origin, Submitted: hash, Rationale: clip(s.Rationale, maxRationale)}
	if s.Origin != Person {
		past, err := d.past(ctx)
		if err != nil {
			return err
		}
		var soon *quota.TooSoonError
		switch err := quota.Check(past, s.Author, d.Now()); {
		case errors.As(err, &soon):
			told.Why = soon.Error()
			return errors.Join(d.note(ctx, entryRefused, s.Author, s.Target, told), decide.Refuse("every attempt counts, whatever became of it", "%s", soon))
		case err != nil:
			return err
		}
	}
	return d.note(ctx, entryAttempt, s.Author, s.Target, told)
}

// note appends an entry to the ledger.
func (d *Desk) note(ctx context.Context, kind, actor, subject string, data any) error {
	e, err := d.entry(kind, actor, subject, data)
	if err != nil {
		return err
	}
	if _, err := d.Archive.Append(ctx, e); err != nil {
		return fmt.Errorf("writing the ledger: %w", err)
	}
	return nil
}

func (d *Desk) entry(kind, actor, subject string, data any) (archive.LedgerEntry, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return archive.LedgerEntry{}, fmt.Errorf("writing the ledger: %w", err)
	}
	return archive.LedgerEntry{Time: d.Now(), Kind: kind, Actor: actor, Subject: subject, Data: raw}, nil
}

// settle stores where a proposal stands together with the entry that tells of it.
func (d *Desk) settle(ctx context.Context, kind, actor string, p archive.ProposalRecord, data any) error {
	e, err := d.entry(kind, actor, p.ID, data)
	if err != nil {
		return err
	}
	if _, err := d.Archive.SettleProposal(ctx, p, e); err != nil {
		return fmt.Errorf("recording %s: %w", p.ID, err)
	}
	return nil
}

// story is what the ledger keeps of a proposal that was gated.
func story(p archive.ProposalRecord) map[string]any {
	b := p.Patch
	return map[string]any{
		"kind": p.Kind, "agent": p.Agent, "target": b.Target, "origin": b.Origin, "state": p.State, "digest": b.Digest, "rationale": p.Rationale,
		"before": b.BaseCommit, "after": p.Commit, "tree": b.Tree, "paths": paths(p), "gates": p.Gates,
	}
}
