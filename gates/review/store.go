package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"evolve/archive"
)

// WithStore calls work with the archive. If another process is writing to the archive, it
// fails with an archive.ErrLocked and does not call work.
type WithStore func(ctx context.Context, work func(*archive.Archive) error) error

// Opened returns a WithStore for an archive that is always open, such as the archive of a
// nightly run.
func Opened(a *archive.Archive) WithStore {
	return func(_ context.Context, work func(*archive.Archive) error) error { return work(a) }
}

// Limits on the wait for the archive when results are to be recorded. The wait prevents
// the loss of results that took minutes to obtain, in case another command briefly holds
// the archive. maxLockWait is the maximum wait, and lockPause is the time between
// attempts.
const (
	maxLockWait = 10 * time.Second
	lockPause   = 50 * time.Millisecond
)

// RetryLocked calls the function work with the archive, to record results. While another
// process holds the archive, it retries for up to maxLockWait. work runs even if ctx is
// canceled, so that an interrupt does not lose results.
func (w WithStore) RetryLocked(ctx context.Context, sleep func(context.Context, time.Duration) error, work func(context.Context, *archive.Archive) error) error {
	ctx = context.WithoutCancel(ctx)
	for waited := time.Duration(0); ; waited += lockPause {
		err := w(ctx, func(a *archive.Archive) error { return work(ctx, a) })
		var locked *archive.LockedError
		if errors.As(err, &locked) {
			waited += locked.Waited
		}
		if !errors.Is(err, archive.ErrLocked) || waited >= maxLockWait {
			return err
		}
		if err := sleep(ctx, lockPause); err != nil {
			return err
		}
	}
}

// session is a reviewer that currently holds the archive.
type session struct {
	*Reviewer
	store *archive.Archive
}

// with opens a session and passes it to the function work.
func (rev *Reviewer) with(ctx context.Context, work func(*session) error) error {
	return rev.Archive(ctx, func(a *archive.Archive) error { return work(&session{rev, a}) })
}

// inSession calls work in a session and returns its result.
func inSession[T any](ctx context.Context, rev *Reviewer, work func(*session) (T, error)) (out T, err error) {
	err = rev.with(ctx, func(s *session) (err error) {
		out, err = work(s)
		return err
	})
	return out, err
}

// proposals returns the stored proposals for which keep returns true.
func proposals(ctx context.Context, a *archive.Archive, keep func(archive.ProposalRecord) bool) ([]archive.ProposalRecord, error) {
	var out []archive.ProposalRecord
	for p, err := range a.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		if keep(p) {
			out = append(out, p)
		}
	}
	return out, nil
}

// retryLocked calls work in a session to record results; see [WithStore.RetryLocked].
func (rev *Reviewer) retryLocked(ctx context.Context, work func(context.Context, *session) error) error {
	return rev.Archive.RetryLocked(ctx, rev.Sleep, func(ctx context.Context, a *archive.Archive) error { return work(ctx, &session{rev, a}) })
}

// note appends an entry to the ledger and returns its number.
func (s *session) note(ctx context.Context, kind, actor, subject string, data any) (int64, error) {
	e, err := s.entry(kind, actor, subject, data)
	if err != nil {
		return 0, err
	}
	if e, err = s.store.Append(ctx, e); err != nil {
		return 0, fmt.Errorf("writing the ledger: %w", err)
	}
	return e.Seq, nil
}

func (s *session) entry(kind, actor, subject string, data any) (archive.LedgerEntry, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return archive.LedgerEntry{}, fmt.Errorf("writing the ledger: %w", err)
	}
	return archive.LedgerEntry{Time: s.Now(), Kind: kind, Actor: actor, Subject: subject, Data: raw}, nil
}

// record stores a proposal and its ledger entry in one step, because a process killed
// between two separate steps would permanently leave one without the other.
func (s *session) record(ctx context.Context, p archive.ProposalRecord, kind, actor string, data any, intents ...archive.Intent) error {
	e, err := s.entry(kind, actor, p.ID, data)
	if err != nil {
		return err
	}
	if _, err := s.store.SettleProposal(ctx, p, e, intents...); err != nil {
		return fmt.Errorf("recording %s: %w", p.ID, err)
	}
	return nil
}
