package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Glance opens the archive in dir for reading if that is possible without waiting for
// other processes; an attempt to reach the process that holds the archive takes no longer
// than the given duration (most). Unlike OpenRead, Glance writes nothing, leaves the
// archive of a killed process as it is, and does not check the witness. Use what it
// returns only for suggestions, not for decisions.
func Glance(dir string, most time.Duration) (*Archive, error) {
	r := &reader{find: func() (engine, error) { return glance(dir, most) }}
	_, err := r.current(nil)
	if err == nil {
		var a *Archive
		if a, err = newArchive(r, false, dir); err == nil {
			return a, nil
		}
		err = errors.Join(err, r.close())
	}
	return nil, fmt.Errorf("reading the archive without its lock: %w", resourceError(err))
}

func glance(dir string, most time.Duration) (engine, error) {
	// These checks come first because an attempt to take the lock would create the lock
	// file.
	for _, name := range []string{storeName, lockName} {
		if _, err := os.Stat(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			return nil, ErrNotFound
		} else if err != nil {
			return nil, diskError(err)
		}
	}
	lock := newLock(dir)
	shared, err := lock.file.TryRLock()
	if err != nil {
		return nil, diskError(err)
	}
	if shared {
		return openShared(dir, lock, nil)
	}
	h := lock.read()
	if h.Socket != "" {
		return dialRemote(h.Socket, most)
	}
	return nil, lockedBy(h, systemClock().now())
}
