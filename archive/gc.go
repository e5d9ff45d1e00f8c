package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// LedgerGC is the kind of the entry that tells what a retention removed; the data is a
// Removed.
const LedgerGC = "archive.gc"

// gcName is the folder, beside the store, in which a store without what goes is built;
// after the exchange it holds the old one. Only a process with the archive's lock
// touches it.
const gcName = "store.gc"

// NightRemoved counts what went of one run, for all its agents.
type NightRemoved struct {
	Run         string `json:"run"`
	Transcripts int    `json:"transcripts,omitempty"`
	Evaluations int    `json:"evaluations,omitempty"`
}

// Removed is what a retention removed, or would remove.
type Removed struct {
	Transcripts int `json:"transcripts"`
	Evaluations int `json:"evaluations"`
	// Records is the size of the removed records, in bytes.
	Records int64 `json:"records"`
	// Nights are those of which something went, the oldest first.
	Nights []NightRemoved `json:"nights"`
	Keep   Retention      `json:"keep"`
	// Before and After are what the archive takes on disk, in bytes; After is 0 when nothing
	// was removed.
	Before int64 `json:"before,omitempty"`
	After  int64 `json:"after,omitempty"`
	// Over says that what must stay takes more than the retention's size.
	Over bool `json:"over,omitempty"`
}

// GCOptions of GC; the zero value is the default.
type GCOptions struct {
	Options
	// reached is called at each point at which a test ends the process.
	reached func(point string)
}

// Removable says what a retention would remove at a moment. It changes nothing.
func (a *Archive) Removable(ctx context.Context, keep Retention, now time.Time) (Removed, error) {
	_, gone, err := a.removable(ctx, keep, now)
	return gone, err
}

func (a *Archive) removable(ctx context.Context, keep Retention, now time.Time) (*selection, Removed, error) {
	s, err := a.selects(ctx, keep, now)
	if err == nil {
		err = a.store.dump(ctx, func(k, value []byte) error {
			_, err := s.goes(k, value)
			return err
		})
	}
	if err == nil && a.dir != "" {
		s.gone.Before, err = folderSize(a.dir)
	}
	if err != nil {
		return nil, Removed{}, fmt.Errorf("look for what may go: %w", err)
	}
	return s, s.removed(keep), nil
}

// removed is what went, by night.
func (s *selection) removed(keep Retention) Removed {
	out := s.gone
	out.Keep, out.Nights = keep, []NightRemoved{}
	parts := slices.Clone(s.parts)
	slices.SortStableFunc(parts, func(a, b partFacts) int { return a.number - b.number })
	for _, p := range parts {
		if p.gone == (NightRemoved{}) {
			continue
		}
		if n := len(out.Nights); n == 0 || out.Nights[n-1].Run != p.run {
			out.Nights = append(out.Nights, NightRemoved{Run: p.run})
		}
		last := &out.Nights[len(out.Nights)-1]
		last.Transcripts += p.gone.Transcripts
		last.Evaluations += p.gone.Evaluations
	}
	out.Over = keep.Bytes > 0 && s.live-out.Records > keep.records()
	return out
}

// GC removes from the archive in dir what a retention does not keep, and gives the space
// back. The ledger tells of it (kind "archive.gc"), and each run of which something went
// (Run.Removed). Nothing is written when nothing goes.
//
// It copies what stays into a store of its own, checks that, and puts it in the place of
// the other in one step: killed at any moment, the archive is the old one or the new one.
// The disk needs room for both. Readers read meanwhile. It fails as Open does, and with
// errors.ErrUnsupported where the file system cannot exchange two folders in one step.
func GC(ctx context.Context, dir string, keep Retention, opts GCOptions) (Removed, error) {
	if opts.reached == nil {
		opts.reached = func(string) {}
	}
	a, err := open(dir, opts.Options)
	if err != nil {
		return Removed{}, fmt.Errorf("remove what is not kept: %w", err)
	}
	release := a.release
	a.release = nil // the lock is kept until the end
	gone, err := a.collect(ctx, keep, opts)
	built := err == nil && len(gone.Nights) > 0
	err = errors.Join(err, a.Close())
	opts.reached("closed")
	room := filepath.Join(dir, gcName)
	if built && err == nil {
		err = diskError(exchange(room, filepath.Join(dir, storeName)))
		if err == nil {
			err = diskError(syncPath(dir))
		}
		opts.reached("exchanged")
	}
	err = errors.Join(err, diskError(os.RemoveAll(room)))
	if built && err == nil {
		gone.After, err = folderSize(dir)
	}
	if err = errors.Join(err, release()); err != nil {
		return Removed{}, fmt.Errorf("remove what is not kept: %w", err)
	}
	return gone, nil
}

// collect builds the store of what stays, if anything goes.
func (a *Archive) collect(ctx context.Context, keep Retention, opts GCOptions) (Removed, error) {
	now := opts.now()()
	s, gone, err := a.removable(ctx, keep, now)
	if err != nil || len(gone.Nights) == 0 {
		return gone, err
	}
	room := filepath.Join(a.dir, gcName)
	if err := errors.Join(os.RemoveAll(room), os.MkdirAll(room, 0o700)); err != nil {
		return gone, diskError(err)
	}
	store, err := openDisk(room, true)
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
	return gone, diskError(syncTree(room))
}

// copyKept writes all pairs that stay to a store.
func copyKept(ctx context.Context, s *selection, to engine, opts GCOptions) error {
	b := &batch{}
	err := s.a.store.dump(ctx, func(k, value []byte) error {
		gone, err := s.goes(k, value)
		if err != nil || gone {
			return err
		}
		b.put(bytes.Clone(k), bytes.Clone(value))
		if b.size <= groupBytes && len(b.pairs) < groupCount {
			return nil
		}
		err = to.write(b)
		b = &batch{}
		opts.reached("copying")
		return err
	})
	if err == nil && len(b.pairs) > 0 {
		err = to.write(b)
	}
	return err
}

// noteRemoved tells the runs and the ledger what went. The store is not in its place yet,
// so that it takes more than one batch.
func (a *Archive) noteRemoved(ctx context.Context, gone Removed, now time.Time) error {
	for some := range slices.Chunk(gone.Nights, 50) {
		err := a.change(ctx, "note what was removed", func(b *batch) error { return a.noteRuns(ctx, b, some, now) })
		if err != nil {
			return err
		}
	}
	var data bytes.Buffer
	if err := writeJSON(&data, gone); err != nil {
		return err
	}
	_, err := a.Append(ctx, LedgerEntry{Time: now, Kind: LedgerGC, Actor: "evolve", Subject: "archive", Data: data.Bytes()})
	return err
}

func (a *Archive) noteRuns(ctx context.Context, b *batch, nights []NightRemoved, now time.Time) error {
	for _, n := range nights {
		r, err := a.Run(ctx, n.Run)
		if err != nil {
			return err
		}
		all := RunRemoved{Time: plainTime(now)}
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
