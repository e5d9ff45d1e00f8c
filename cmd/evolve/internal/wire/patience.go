package wire

import (
	"errors"
	"strings"
	"time"

	"evolve/archive"
	"evolve/gates/review"
)

// RunOwner is the owner that a run writes to the archive's lock. A run holds the archive
// for hours.
const RunOwner = "evolve run"

// Most commands hold the archive only for moments, so a command that finds it held tries
// again after lockPause, for up to maxLockWait.
const (
	maxLockWait = 5 * time.Second
	lockPause   = 50 * time.Millisecond
)

// WhileHeld repeats work that fails because another command holds the archive. If the
// holder is a run, WhileHeld fails at once.
func (h *Host) WhileHeld(try func() error) error {
	for waited := time.Duration(0); ; waited += lockPause {
		err := try()
		var locked *archive.LockedError
		if !errors.As(err, &locked) {
			return err
		}
		if waited += locked.Waited; waited >= maxLockWait || strings.HasPrefix(locked.Owner, RunOwner) || h.Sleep == nil || h.Sleep(h.Ctx, lockPause) != nil {
			locked.Waited = waited
			return err
		}
	}
}

// Free returns the error that a write would return while a run holds the archive, or nil if
// no run holds it. A command that reads a lot before it writes calls Free first.
func (h *Host) Free(root string) error {
	held := archive.Holder(ArchiveDir(root), archive.Options{Now: h.Now})
	if held == nil || !strings.HasPrefix(held.Owner, RunOwner) {
		return nil
	}
	return Opening(held)
}

// Alone acquires the exclusive right that the file at path represents, for the command that
// the given name (owner) identifies, and waits if another command has the right. If the
// wait fails, the error names that other command. held describes what the file represents,
// as the subject of a sentence. release gives up the right.
func (h *Host) Alone(path, held, owner string) (release func(), err error) {
	opts := archive.Options{Owner: owner, Now: h.Now}
	if h.Sleep != nil {
		opts.Sleep = func(d time.Duration) { _ = h.Sleep(h.Ctx, d) }
	}
	err = h.WhileHeld(func() error {
		lock, err := review.NewLock(path)
		if err != nil {
			return err
		}
		if lock == nil {
			return archive.HeldBy(path, held, opts)
		}
		if err := archive.Claim(path, opts); err != nil {
			lock.Release()
			return err
		}
		release = lock.Release
		return nil
	})
	return release, Opening(err)
}
