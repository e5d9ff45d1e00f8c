package patching

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"evolve/cmd/evolve/internal/decide"
)

// claim takes this process's exclusive right to gate a proposal and to use the folder
// with its trees. It returns nil when another process has the right.
func (d *Desk) claim(id string) (*decide.Claim, error) {
	return decide.NewClaim(filepath.Join(d.Scratch, "claims", id))
}

// sole is like claim, but returns an error when another process has the right.
func (d *Desk) sole(id string) (*decide.Claim, error) {
	c, err := d.claim(id)
	if err == nil && c == nil {
		err = decide.Refuse("wait for it; `evolve show "+id+"` tells what came of it", "%s is at its gates in another process", id)
	}
	return c, err
}

// cacheLook is the interval at which a busy build cache is checked.
const cacheLook = 100 * time.Millisecond

// alone waits until no other patch of this user is at its gates. Patches share a build
// cache, and measurements and tests that run at the same time slow each other down.
func (d *Desk) alone(ctx context.Context) (release func(), err error) {
	dir := d.cache()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making room for the build cache: %w", err)
	}
	file := flock.New(filepath.Join(dir, "lock"))
	if ok, err := file.TryLock(); err == nil && !ok {
		d.say("another patch is at its gates; this one waits for it")
	}
	if _, err := file.TryLockContext(ctx, cacheLook); err != nil {
		return nil, errors.Join(fmt.Errorf("waiting for another patch's gates: %w", err), file.Close())
	}
	return func() { _ = file.Close() }, nil
}

// cache returns the folder of build caches.
func (d *Desk) cache() string {
	if d.Cache != "" {
		return d.Cache
	}
	return filepath.Join(d.Scratch, "cache")
}

// trees makes an empty folder for the trees of one passage and removes those of other
// proposals whose processes died.
func (d *Desk) trees(id string) (string, error) {
	all := filepath.Join(d.Scratch, "trees")
	dir := filepath.Join(all, id)
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		return "", fmt.Errorf("making room for the trees: %w", err)
	}
	left, err := os.ReadDir(all)
	if err != nil {
		return "", fmt.Errorf("looking for trees that were left: %w", err)
	}
	for _, e := range left {
		if e.Name() == id {
			continue
		}
		c, err := d.claim(e.Name())
		if err != nil || c == nil {
			continue
		}
		err = os.RemoveAll(filepath.Join(all, e.Name()))
		c.Release()
		if err != nil {
			return "", fmt.Errorf("removing trees that were left: %w", err)
		}
	}
	return dir, nil
}
