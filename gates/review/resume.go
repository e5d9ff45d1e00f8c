package review

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"evolve/archive"
	"evolve/patch"
)

// LeftError reports that a proposal is recorded as a draft and waits for its gates: they
// could not start, they were stopped, or their result could not be recorded.
// [Reviewer.Resume] starts the gates again, as does submitting the same patch again.
type LeftError struct {
	ID  string
	Err error
}

func (e *LeftError) Error() string {
	if errors.As(e.Err, new(*UnwritableError)) || errors.As(e.Err, new(*LimitedError)) {
		return fmt.Sprintf("%s waits for its gates: %v", e.ID, e.Err)
	}
	if errors.Is(e.Err, archive.ErrLocked) {
		return fmt.Sprintf("the gates of %s have run, but their verdicts could not be recorded: %v", e.ID, e.Err)
	}
	return fmt.Sprintf("the gates of %s were stopped: %v", e.ID, e.Err)
}

func (e *LeftError) Unwrap() error { return e.Err }

// why returns the reason that is stored with the draft.
func (e *LeftError) why() string {
	if errors.As(e.Err, new(*UnwritableError)) || errors.As(e.Err, new(*LimitedError)) {
		return e.Err.Error()
	}
	return "the gates were stopped: " + e.Err.Error()
}

// UnwritableError reports that this user cannot write to the repository of a target.
type UnwritableError struct{ Err error }

func (e *UnwritableError) Error() string {
	return "the user who runs evolve must be able to write to the .git folder of the target: " + e.Err.Error()
}

func (e *UnwritableError) Unwrap() error { return e.Err }

// unwritten turns an error in writing to a repository into an *UnwritableError if this user
// has no permission to write there. The draft of a patch then stays and waits for its
// gates.
func unwritten(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return &UnwritableError{err}
	}
	return err
}

// Resume gates the patches that wait as drafts, from the beginning and at the current
// commits of their targets. These are patches whose gates were stopped by an interrupt or
// a crash, and versions that had to wait because of a limit. Patches that another process
// is gating are skipped. Resume also records in the ledger the attempts that a crash left
// without any further record. It returns the proposals whose gates have run, and those
// that still wait; the latter are drafts with reasons. An error with one patch does not
// stop the work on other patches.
func (rev *Reviewer) Resume(ctx context.Context) ([]archive.ProposalRecord, error) {
	var left []archive.ProposalRecord
	err := rev.with(ctx, func(s *session) (err error) {
		if err := s.recordLost(ctx); err != nil {
			return err
		}
		left, err = proposals(ctx, s.store, func(p archive.ProposalRecord) bool {
			// An imported patch is gated only if its target is in the settings, because
			// an imported patch could name any repository.
			return p.Patch != nil && p.State == archive.Drafted && (p.Imported == "" || p.Patch.Named)
		})
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
		now, taken, err := rev.resume(ctx, p.ID)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("resuming %s: %w", p.ID, err))
		case taken:
			done = append(done, now)
		}
	}
	return done, errors.Join(errs...)
}

// recordLost adds an entry to the ledger for each attempt that a crash left without any
// further record.
func (s *session) recordLost(ctx context.Context) error {
	list, err := lost(ctx, s.store)
	for _, e := range list {
		if err == nil {
			_, err = s.note(ctx, entryLost, e.Actor, e.Subject, attempt{Target: e.Subject, Why: "the process ended before the patch was stored; the patch counts as an attempt", Attempt: e.Seq})
		}
	}
	return err
}

// resume gates one proposal again, unless another process has claimed or finished it.
func (rev *Reviewer) resume(ctx context.Context, id string) (p archive.ProposalRecord, taken bool, err error) {
	held, err := rev.tryClaimGates(id)
	if err != nil || held == nil {
		return p, false, err
	}
	defer held.Release()
	var t Target
	var waits *LimitedError
	err = rev.with(ctx, func(s *session) (err error) {
		if p, err = s.findPatch(ctx, id); err != nil || p.State != archive.Drafted {
			return err
		}
		if taken = true; unattempted(p) {
			waits, err = s.attemptNow(ctx, &p)
		} else {
			p, err = s.takeUp(ctx, p, robot, 0)
		}
		if err != nil || waits != nil {
			return err
		}
		var why string
		if t, why, err = s.rebase(ctx, &p); err == nil && why != "" {
			p, err = s.unappliable(ctx, p, entryCreate, why)
		}
		return err
	})
	if err != nil || p.State != archive.Drafted {
		return p, taken, err
	}
	if waits != nil {
		p, err = rev.keepWaiting(ctx, p, &LeftError{ID: id, Err: waits})
		return p, taken, err
	}
	rev.notify("resuming %s, which was waiting for its gates", p.ID)
	p, err = rev.gateDraft(ctx, t, p)
	if p.Patch.Waits != "" && errors.As(err, new(*LeftError)) {
		err = nil // the draft is still waiting, and the reason is stored with it
	}
	return p, true, err
}

// rebase moves a proposal to the current head of its target. why is the reason why the
// proposal cannot be gated, or "". A proposal with such a reason must fail, because it
// would block all other patches if it kept waiting.
func (s *session) rebase(ctx context.Context, p *archive.ProposalRecord) (t Target, why string, err error) {
	if len(p.Files) == 0 {
		return t, "the patch could not be applied, and the reason was lost when the process ended", nil
	}
	t, err = s.targetOf(*p)
	var repo *patch.Repository
	if err == nil {
		repo, err = s.open(t)
	}
	var head string
	if err == nil {
		_, head, err = repo.Head()
	}
	var conflicts []string
	if err == nil && head != p.Patch.BaseCommit {
		conflicts, err = s.moveDraft(ctx, repo, head, p)
	}
	if err == nil && len(conflicts) == 0 {
		_, err = s.findDuplicate(ctx, *p)
	}
	var refused *RefusedError
	switch {
	case errors.As(err, &refused):
		return t, "when it was resumed: " + refused.Text, nil
	case len(conflicts) > 0:
		return t, conflictsWith(conflicts), err
	}
	return t, "", err
}

// moveDraft makes the present commit of the target the base of a draft. If the draft's gain
// was measured before the target moved, the gain's text then names the commit on which it
// was measured. conflicts lists the paths with passages that both the target and the draft
// have changed.
func (s *session) moveDraft(ctx context.Context, repo *patch.Repository, head string, p *archive.ProposalRecord) (conflicts []string, err error) {
	over, ok, err := s.overReference(ctx, repo, head, *p)
	if err != nil {
		return nil, err
	}
	was := p.Patch.BaseCommit
	if ok {
		brief := *p.Patch
		brief.BaseCommit = head
		p.Patch, p.Files = &brief, nil
		for _, f := range over {
			p.Files = append(p.Files, archive.FileChange{Path: f.Path, Old: f.Old, New: f.New})
		}
		return nil, nil
	}
	conflicts, err = moveOnto(repo, head, p)
	if err == nil && len(conflicts) == 0 && p.Patch.Gain != "" {
		p.Patch.Gain += fmt.Sprintf("; measured on %.12s, before the target's HEAD changed", was)
	}
	return conflicts, err
}

// takeUp records that the gates of a proposal begin again.
func (s *session) takeUp(ctx context.Context, p archive.ProposalRecord, actor string, began int64) (archive.ProposalRecord, error) {
	brief := *p.Patch
	why := "its gates were stopped or their process ended; the gates start again"
	if unattempted(p) {
		brief.Attempt, why = began, "the patch was submitted by "+actor
	} else {
		brief.Interrupted++
	}
	p.Patch, p.Imported, brief.Waits = &brief, "", ""
	return p, s.record(ctx, p, entryResume, actor, attempt{
		Target: brief.Target, Origin: brief.Origin, Why: why, Attempt: began,
	})
}
