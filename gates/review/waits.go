package review

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/patch"
	"evolve/patch/quota"
	"evolve/runtime/text"
)

// LimitedError reports that the author of a patch has made an attempt in the past hour.
type LimitedError struct{ Err *quota.TooSoonError }

func (e *LimitedError) Error() string { return e.Err.Error() }

// refused returns the refusal for a patch that cannot wait until the limit allows another
// attempt.
func (e *LimitedError) refused() error {
	return tooSoon(e.Err, "every attempt counts, including failed ones")
}

// limited returns the limit that makes an author wait, or nil if there is none.
func (s *session) limited(ctx context.Context, author string) (*LimitedError, error) {
	list, err := past(ctx, s.store)
	if err != nil {
		return nil, err
	}
	var soon *quota.TooSoonError
	if errors.As(quota.Check(list, author, s.Now()), &soon) {
		return &LimitedError{soon}, nil
	}
	return nil, nil
}

// wait records a version that must wait because of a limit. The version becomes a draft but
// not yet an attempt, and the draft replaces an older draft of a version of the same code.
// wait refuses a version that cannot be applied or that was already decided on. Once the
// draft exists, the error is a [LeftError].
func (s *session) wait(ctx context.Context, t Target, sub Submission, hash string, why *LimitedError) (archive.ProposalRecord, error) {
	p, fault, err := s.patchRecord(t, sub, hash)
	var same *archive.ProposalRecord
	switch {
	case err != nil:
	case fault != "":
		err = Refuse("`evolve code show "+t.Name+"` shows the version", "the version cannot be proposed: %s", fault)
	default:
		same, err = s.findDuplicate(ctx, p)
	}
	if err != nil {
		return p, errors.Join(err, s.recordRefusal(ctx, sub, 0, err))
	}
	if same != nil {
		return *same, &LeftError{ID: same.ID, Err: why}
	}
	p.Patch.Waits = why.Error()
	if p, err = s.store.NewProposal(ctx, p); err != nil {
		return p, fmt.Errorf("recording the proposal: %w", err)
	}
	_, err = s.note(ctx, entryWait, sub.Author, p.ID, attempt{
		Target: sub.Target, Origin: sub.Origin, Submitted: hash, Rationale: text.Clip(sub.Rationale, maxRationale, text.Ellipsis), Why: p.Patch.Waits,
	})
	if err == nil {
		err = s.supersedeVersions(ctx, p)
	}
	return p, errors.Join(err, &LeftError{ID: p.ID, Err: why})
}

// attemptNow makes the attempt for a draft that had to wait because of a limit. If the
// limit still applies, it makes no attempt and returns the reason.
func (s *session) attemptNow(ctx context.Context, p *archive.ProposalRecord) (*LimitedError, error) {
	waits, err := s.limited(ctx, p.Patch.Author)
	if waits != nil || err != nil {
		return waits, err
	}
	brief := *p.Patch
	p.Patch = &brief
	brief.Attempt, err = s.note(ctx, entryAttempt, brief.Author, brief.Target, attempt{
		Target: brief.Target, Origin: brief.Origin, Submitted: brief.Submitted, Rationale: p.Rationale, State: begun,
	})
	if err == nil {
		err = s.step("attempt")
	}
	if err != nil {
		return nil, err
	}
	brief.Waits = ""
	if err := s.store.PutProposal(ctx, *p); err != nil {
		return nil, fmt.Errorf("recording the attempt: %w", err)
	}
	return nil, nil
}

// unattempted reports whether a draft does not yet count as an attempt.
func unattempted(p archive.ProposalRecord) bool {
	return p.State == archive.Drafted && p.Imported == "" && p.Patch.Attempt == 0 && p.Patch.Origin == OriginBlocks
}

// keepWaiting stores the reason why a draft waits, and returns the stored proposal.
func (rev *Reviewer) keepWaiting(ctx context.Context, p archive.ProposalRecord, left *LeftError) (archive.ProposalRecord, error) {
	err := rev.retryLocked(ctx, func(ctx context.Context, s *session) error {
		now, err := s.findPatch(ctx, left.ID)
		if err != nil {
			return err
		}
		if p = now; p.State != archive.Drafted || p.Patch.Waits == left.why() {
			return nil
		}
		p.Patch.Waits = left.why()
		return s.store.PutProposal(ctx, p)
	})
	if errors.Is(err, archive.ErrLocked) {
		err = nil // the draft exists, and the caller reports the reason
	}
	return p, err
}

// overReference moves a version onto head if it was measured against another version whose
// patch has been adopted since: the measured files then replace the adopted files. ok is
// false if there was no such version, if the adopted files have been changed again, or if
// the other files conflict.
func (s *session) overReference(ctx context.Context, repo *patch.Repository, head string, p archive.ProposalRecord) (out []patch.File, ok bool, err error) {
	if p.Patch.Variant == "" {
		return nil, false, nil
	}
	plan, err := s.store.Plan(ctx, p.Run, p.Patch.Target)
	if errors.Is(err, archive.ErrNotFound) || err == nil && plan.Against == "" {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("reading the plan of run %s: %w", p.Run, err)
	}
	adopted, err := proposals(ctx, s.store, func(other archive.ProposalRecord) bool {
		variant, is := other.VariantOf(p.Patch.Target)
		return is && variant == plan.Against && other.Kind == archive.KindPatch && other.State == archive.Adopted && samePlace(other, p)
	})
	if err != nil || len(adopted) == 0 {
		return nil, false, err
	}
	own := files(p)
	for _, f := range files(adopted[len(adopted)-1]) {
		have, err := repo.File(head, f.Path)
		if err != nil {
			return nil, false, fmt.Errorf("reading %s: %w", f.Path, err)
		}
		now := patch.File{Path: f.Path, Old: f.New, New: f.Old}
		if i := slices.IndexFunc(own, func(o patch.File) bool { return o.Path == f.Path }); i >= 0 {
			if !same(own[i].Old, f.Old) {
				return nil, false, nil
			}
			now.New = own[i].New
			own = slices.Delete(own, i, i+1)
		}
		if !same(have, f.New) {
			return nil, false, nil
		}
		if !same(now.Old, now.New) {
			out = append(out, now)
		}
	}
	rest, conflicts, err := onto(repo, head, own)
	return append(out, rest...), len(conflicts) == 0, err
}
