package archive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// LedgerGC is the kind of the ledger entry that records what [GC] or [DeleteSession]
// removed. The entry's data is a Removed.
const LedgerGC = "archive.gc"

// gcName is the name of the folder, beside the store, in which the reduced store is built.
// After the exchange, the folder holds the old store. Only a process with the archive's
// lock changes it.
const gcName = "store.gc"

// NightRemoved counts the records removed from one run, for all its agents.
type NightRemoved struct {
	Run         string `json:"run"`
	Transcripts int    `json:"transcripts,omitempty"`
	Evaluations int    `json:"evaluations,omitempty"`
}

// Removed describes the records that [GC] removed or would remove.
type Removed struct {
	Transcripts int `json:"transcripts"`
	Evaluations int `json:"evaluations"`
	// Turns counts the turns whose transcripts were removed; their goals, answers and
	// outcomes stay.
	Turns int `json:"turns,omitempty"`
	// Questions counts the questions of holdout tasks.
	Questions int `json:"questions,omitempty"`
	// Sessions counts the sessions that a person deleted.
	Sessions int `json:"sessions,omitempty"`
	// Records is the size of the removed records, in bytes.
	Records int64 `json:"records"`
	// Nights lists the runs from which something was removed, the oldest first.
	Nights []NightRemoved `json:"nights"`
	Keep   Retention      `json:"keep"`
	// Before and After are the sizes of the archive on disk, in bytes; After is 0 when
	// nothing was removed.
	Before int64 `json:"before,omitempty"`
	After  int64 `json:"after,omitempty"`
	// Over reports whether the records that must stay exceed the size limit of the
	// retention settings.
	Over bool `json:"over,omitempty"`
}

// Any reports whether something was removed.
func (r Removed) Any() bool {
	return len(r.Nights) > 0 || r.Turns > 0 || r.Questions > 0 || r.Sessions > 0
}

// GCOptions are the options of GC; the zero value is the default.
type GCOptions struct {
	Options
	// forget is the session to remove, or nil if there is none.
	forget *sessionName
	// reached is called at each point at which a test kills the process.
	reached func(point string)
}

// Removable returns what [GC] would remove at the given time (now) under the given
// retention (keep). It changes nothing.
func (a *Archive) Removable(ctx context.Context, keep Retention, now time.Time) (Removed, error) {
	_, gone, err := a.removable(ctx, keep, now, nil)
	return gone, err
}

func (a *Archive) removable(ctx context.Context, keep Retention, now time.Time, forget *sessionName) (*selection, Removed, error) {
	s, err := a.selects(ctx, keep, now, forget)
	if err == nil {
		err = a.store.dump(ctx, func(k, value []byte) error {
			gone, err := s.removes(k, value)
			if err == nil && !gone {
				_, err = s.reduced(k, value)
			}
			return err
		})
	}
	if err == nil && a.dir != "" {
		s.total.Before, err = folderSize(a.dir)
	}
	if err != nil {
		return nil, Removed{}, fmt.Errorf("find the removable records: %w", err)
	}
	return s, s.removed(keep), nil
}

// removed returns the totals of the removed records, and the counts of each night.
func (s *selection) removed(keep Retention) Removed {
	out := s.total
	out.Keep, out.Nights = keep, []NightRemoved{}
	parts := slices.Clone(s.parts)
	slices.SortStableFunc(parts, func(a, b partFacts) int { return a.number - b.number })
	for _, p := range parts {
		if p.removed == (NightRemoved{}) {
			continue
		}
		if n := len(out.Nights); n == 0 || out.Nights[n-1].Run != p.run {
			out.Nights = append(out.Nights, NightRemoved{Run: p.run})
		}
		last := &out.Nights[len(out.Nights)-1]
		last.Transcripts += p.removed.Transcripts
		last.Evaluations += p.removed.Evaluations
	}
	out.Over = keep.Bytes > 0 && s.live-out.Records > keep.records()
	return out
}

// GC removes from the archive in dir the records that the retention policy (keep) does
// not preserve, and frees their disk space. The removal is recorded in a ledger entry
// (kind "archive.gc") and in the field Removed of each affected run. Nothing is written
// when there is nothing to remove.
//
// GC copies the remaining records into a new store, checks the copy, and exchanges it
// with the old store in one step. If it is killed at any moment, it leaves either the old
// archive or the new one. The disk needs space for both. Readers can continue to read in
// the meantime. GC fails as Open does, and with errors.ErrUnsupported if the file system
// cannot exchange two folders in one step.
func GC(ctx context.Context, dir string, keep Retention, opts GCOptions) (Removed, error) {
	if opts.reached == nil {
		opts.reached = func(string) {}
	}
	a, err := open(dir, opts.Options)
	if err != nil {
		return Removed{}, fmt.Errorf("remove records beyond the retention limits: %w", err)
	}
	release := a.release
	a.release = nil // Close must not release the lock before the exchange
	gone, err := a.collect(ctx, keep, opts)
	built := err == nil && gone.Any()
	err = errors.Join(err, a.Close())
	opts.reached("closed")
	folder := filepath.Join(dir, gcName)
	if built && err == nil {
		err = diskError(exchange(folder, filepath.Join(dir, storeName)))
		if err == nil {
			err = diskError(syncPath(dir))
		}
		opts.reached("exchanged")
	}
	err = errors.Join(err, diskError(os.RemoveAll(folder)))
	if built && err == nil {
		gone.After, err = folderSize(dir)
	}
	if err = errors.Join(err, release()); err != nil {
		return Removed{}, fmt.Errorf("remove records beyond the retention limits: %w", err)
	}
	return gone, nil
}

// collect builds a store of the records that stay, unless there is nothing to remove.
func (a *Archive) collect(ctx context.Context, keep Retention, opts GCOptions) (Removed, error) {
	now := opts.clock().now()
	s, gone, err := a.removable(ctx, keep, now, opts.forget)
	if err != nil || !gone.Any() {
		return gone, err
	}
	folder := filepath.Join(a.dir, gcName)
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o700)); err != nil {
		return gone, diskError(err)
	}
	store, err := openDisk(folder, true)
	if err != nil {
		return gone, err
	}
	if err := copyKept(ctx, s, store, opts); err != nil {
		return gone, errors.Join(err, store.close())
	}
	b, err := migratedArchive(store, true, "", opts.migrations())
	if err != nil {
		return gone, errors.Join(err, store.close())
	}
	err = b.noteRemoved(ctx, gone, now)
	if err == nil {
		err = b.Check(ctx)
	}
	if err = errors.Join(err, b.Close()); err != nil {
		return gone, err
	}
	opts.reached("copied")
	return gone, diskError(syncTree(folder))
}

// copyKept copies the pairs that are kept into another store.
func copyKept(ctx context.Context, s *selection, to engine, opts GCOptions) error {
	var b batch
	err := s.a.store.dump(ctx, func(k, value []byte) error {
		gone, err := s.removes(k, value)
		if err == nil && !gone {
			value, err = s.reduced(k, value)
		}
		if err != nil || gone {
			return err
		}
		if err = b.add(to, k, value); len(b.pairs) == 0 {
			opts.reached("copying")
		}
		return err
	})
	if err == nil {
		err = b.flush(to)
	}
	return err
}

// noteRemoved records in the runs and in the ledger which records were removed. It may use
// several batches, because the store has not been moved into place yet.
func (a *Archive) noteRemoved(ctx context.Context, gone Removed, now time.Time) error {
	for some := range slices.Chunk(gone.Nights, 50) {
		err := a.change(ctx, "record what was removed", func(b *batch) error { return a.noteRuns(ctx, b, some, now) })
		if err != nil {
			return err
		}
	}
	return a.appendData(ctx, LedgerEntry{Time: now, Kind: LedgerGC, Actor: "evolve", Subject: "archive"}, gone)
}

func (a *Archive) noteRuns(ctx context.Context, b *batch, nights []NightRemoved, now time.Time) error {
	for _, n := range nights {
		r, err := a.Run(ctx, n.Run)
		if err != nil {
			return err
		}
		all := RunRemoved{Time: normalizeTime(now)}
		if r.Removed != nil {
			all.Transcripts, all.Evaluations = r.Removed.Transcripts, r.Removed.Evaluations
		}
		all.Transcripts += n.Transcripts
		all.Evaluations += n.Evaluations
		r.Removed = &all
		if err := putRun(b, r); err != nil {
			return err
		}
	}
	return nil
}
