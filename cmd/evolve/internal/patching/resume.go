package patching

import (
	"context"
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/cmd/evolve/internal/decide"
	"evolve/patch"
)

// LeftError says that a proposal is recorded and waits for its gates: they were stopped,
// or what they found could not be recorded. Whoever calls [Desk.Resume] next, or
// proposes the same again, takes it up from the beginning.
type LeftError struct {
	ID  string
	Err error
}

func (e *LeftError) Error() string {
	if errors.Is(e.Err, archive.ErrLocked) {
		return fmt.Sprintf("%s is through its gates, but it could not be recorded: %v", e.ID, e.Err)
	}
	return fmt.Sprintf("the gates of %s were stopped: %v", e.ID, e.Err)
}

func (e *LeftError) Unwrap() error { return e.Err }

// Resume takes up the patches that were left in the middle of their gates, by an
// interrupt or a crash: they are gated from the beginning, where their targets are now.
// Those that another process has at their gates are its own. It tells the
// ledger of attempts that a crash left without a word, and returns the proposals that it
// finished; what is in the way of one keeps it from none of the others.
func (d *Desk) Resume(ctx context.Context) ([]archive.ProposalRecord, error) {
	var left []archive.ProposalRecord
	err := d.Archive(ctx, func(a *archive.Archive) (err error) {
		if err := d.tellLost(ctx, a); err != nil {
			return err
		}
		left, err = drafted(ctx, a)
		return err
	})
	if err != nil {
		return nil, err
	}
	var done []archive.ProposalRecord
	var errs []error
	for _, p := range left {
		if ctx.Err() != nil {
			break
		}
		now, taken, err := d.resume(ctx, p.ID)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("taking up %s: %w", p.ID, err))
		case taken:
			done = append(done, now)
		}
	}
	return done, errors.Join(errs...)
}

// tellLost tells the ledger of attempts of which a crash left nothing else.
func (d *Desk) tellLost(ctx context.Context, a *archive.Archive) error {
	list, err := lost(ctx, a)
	for _, e := range list {
		if err == nil {
			_, err = d.note(ctx, a, entryLost, e.Actor, e.Subject, attempt{Target: e.Subject, Why: "the process ended before the patch was drawn up; the attempt counts", Attempt: e.Seq})
		}
	}
	return err
}

// drafted are the patches without a verdict.
func drafted(ctx context.Context, a *archive.Archive) ([]archive.ProposalRecord, error) {
	var out []archive.ProposalRecord
	for p, err := range a.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		// What an import says that a person named is not gated: it could name any repository.
		if p.Patch != nil && p.State == archive.Drafted && (p.Imported == "" || !p.Patch.Named) {
			out = append(out, p)
		}
	}
	return out, nil
}

// resume takes one up, unless another process has it, or had it meanwhile.
func (d *Desk) resume(ctx context.Context, id string) (p archive.ProposalRecord, taken bool, err error) {
	mine, err := d.claim(id)
	if err != nil || mine == nil {
		return p, false, err
	}
	defer mine.Release()
	var t Target
	err = d.Archive(ctx, func(a *archive.Archive) (err error) {
		if p, err = find(ctx, a, id); err != nil || p.State != archive.Drafted {
			return err
		}
		taken = true
		if p, err = d.takeUp(ctx, a, p, robot, 0); err != nil {
			return err
		}
		var why string
		if t, why, err = d.forward(ctx, a, &p); err == nil && why != "" {
			p, err = d.unappliable(ctx, a, p, entryCreate, why)
		}
		return err
	})
	if err != nil || p.State != archive.Drafted {
		return p, taken, err
	}
	d.say("%s was left in the middle of its gates and is taken up", p.ID)
	p, err = d.gate(ctx, t, p, p, entryCreate)
	return p, true, err
}

// forward brings a proposal to where its target is now. why says what is in the way of
// gating it: waiting for that would keep all other patches waiting.
func (d *Desk) forward(ctx context.Context, a *archive.Archive, p *archive.ProposalRecord) (t Target, why string, err error) {
	if len(p.Files) == 0 {
		return t, "it could not be applied, and the reason was lost when its process ended", nil
	}
	t, err = d.targetOf(*p)
	var repo *patch.Repository
	if err == nil {
		repo, err = d.open(t)
	}
	var head string
	if err == nil {
		_, head, err = repo.Head()
	}
	var conflicts []string
	if err == nil && head != p.Patch.BaseCommit {
		conflicts, err = moveOnto(repo, head, p)
	}
	if err == nil && len(conflicts) == 0 {
		_, err = d.told(ctx, a, *p)
	}
	var refused *decide.RefusedError
	switch {
	case errors.As(err, &refused):
		return t, "its gates were stopped, and when it was taken up again: " + refused.Text, nil
	case len(conflicts) > 0:
		return t, changedSince(conflicts), err
	}
	return t, "", err
}

// takeUp tells that the gates of a proposal begin anew.
func (d *Desk) takeUp(ctx context.Context, a *archive.Archive, p archive.ProposalRecord, actor string, began int64) (archive.ProposalRecord, error) {
	brief := *p.Patch
	p.Patch, p.Imported = &brief, ""
	p.Patch.Interrupted++
	return p, d.settle(ctx, a, entryResume, actor, p, attempt{
		Target: brief.Target, Origin: brief.Origin, Why: "its gates were stopped, or their process ended; they begin anew", Attempt: began,
	})
}
