package review

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"evolve/archive"
)

// tryClaimGates acquires for this process the exclusive right to gate a proposal and to use
// the folder with its trees. It returns nil if another process has the right.
func (rev *Reviewer) tryClaimGates(id string) (*Lock, error) {
	path := rev.claimOf(id)
	c, err := NewLock(path)
	if err != nil || c == nil {
		return nil, err
	}
	if err := archive.Claim(path, rev.claimant()); err != nil {
		c.Release()
		return nil, fmt.Errorf("recording the holder of a lock: %w", err)
	}
	return c, nil
}

func (rev *Reviewer) claimOf(id string) string { return filepath.Join(rev.Scratch, "claims", id) }

// claimant identifies this process in the locks that it acquires.
func (rev *Reviewer) claimant() archive.Options {
	owner := "another command"
	if rev.Run != "" {
		owner = "run " + rev.Run
	}
	return archive.Options{Owner: owner, Now: rev.Now}
}

// gating describes the process that holds a lock: its purpose, process number and host, and
// how long it has held the lock.
func (rev *Reviewer) gating(path string) string {
	held := archive.HeldBy(path, "", rev.claimant())
	if held.PID == 0 {
		return "another process"
	}
	return fmt.Sprintf("%s (process %d on %s, for %s)", held.Owner, held.PID, held.Host, held.Age.Round(time.Second))
}

// claimGates is like tryClaimGates, but returns an error if another process has the right.
func (rev *Reviewer) claimGates(id string) (*Lock, error) {
	c, err := rev.tryClaimGates(id)
	if err == nil && c == nil {
		err = Refuse("wait for them; `evolve show "+id+"` shows the result", "the gates of %s are running in %s", id, rev.gating(rev.claimOf(id)))
	}
	return c, err
}

// cacheLook is the interval at which the lock of the build cache is tried again.
const cacheLook = 100 * time.Millisecond

// waitForGates waits until no other patch of this user is being gated, and then holds off
// others until release is called. Patches share a build cache, and measurements and tests
// that run at the same time slow each other down.
func (rev *Reviewer) waitForGates(ctx context.Context) (release func(), err error) {
	dir := rev.cacheFolder()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the folder for the build cache: %w", err)
	}
	file := flock.New(filepath.Join(dir, "lock"))
	if ok, err := file.TryLock(); err == nil && !ok {
		rev.notify("the gates of another patch are running in %s; this patch waits for them", rev.gating(file.Path()))
	}
	if _, err := file.TryLockContext(ctx, cacheLook); err != nil {
		return nil, errors.Join(fmt.Errorf("waiting for another patch's gates: %w", err), file.Close())
	}
	if err := archive.Claim(file.Path(), rev.claimant()); err != nil {
		return nil, errors.Join(fmt.Errorf("recording the holder of a lock: %w", err), file.Close())
	}
	return func() { _ = file.Close() }, nil
}

// cacheFolder returns the folder for build caches.
func (rev *Reviewer) cacheFolder() string {
	if rev.Cache != "" {
		return rev.Cache
	}
	return filepath.Join(rev.Scratch, "cache")
}

// makeTrees creates an empty folder for the trees of one run of the gates. It removes the
// folders that dead processes left behind for other proposals.
func (rev *Reviewer) makeTrees(id string) (string, error) {
	all := filepath.Join(rev.Scratch, "trees")
	dir := filepath.Join(all, id)
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		return "", fmt.Errorf("preparing the folder for the trees: %w", err)
	}
	left, err := os.ReadDir(all)
	if err != nil {
		return "", fmt.Errorf("looking for leftover trees: %w", err)
	}
	for _, e := range left {
		if e.Name() == id {
			continue
		}
		c, err := rev.tryClaimGates(e.Name())
		if err != nil || c == nil {
			continue
		}
		err = os.RemoveAll(filepath.Join(all, e.Name()))
		c.Release()
		if err != nil {
			return "", fmt.Errorf("removing leftover trees: %w", err)
		}
	}
	return dir, nil
}
