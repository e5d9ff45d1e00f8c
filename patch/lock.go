package patch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrMoved reports that a ref does not have the expected value.
var ErrMoved = errors.New("the ref has moved")

// LockedError reports that another process held the lock of a ref for longer than this
// process waits. If Ref is empty, it reports that git found a lock on a ref or on the
// index.
type LockedError struct{ Ref, Lock string }

func (e *LockedError) Error() string {
	if e.Ref == "" {
		return fmt.Sprintf("another git process is running: %s exists", e.Lock)
	}
	return fmt.Sprintf("another git process is moving the ref %s: %s exists", e.Ref, e.Lock)
}

// Hint describes what a person can do.
func (e *LockedError) Hint() string {
	return "repeat the command; if no git process is using the repository, remove " + e.Lock + ": a git process that was killed left it behind"
}

// lockWaits are the pauses between attempts to take a lock. Native git holds a lock for
// about a millisecond and itself waits up to a tenth of a second.
var lockWaits = [...]time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond,
	40 * time.Millisecond, 80 * time.Millisecond, 160 * time.Millisecond, 320 * time.Millisecond,
}

// lock creates the lock file of a ref and the file's parent folders. It recreates folders
// that native git removes in the meantime because they are empty.
func (r *Repository) lock(name string) (*os.File, error) {
	path := r.refPath(name) + ".lock"
	for waits, vanished := 0, 0; ; {
		err := makeDirs(filepath.Join(r.common, "refs"), filepath.Dir(path))
		if err == nil {
			var f *os.File
			if f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err == nil {
				return f, nil
			}
			if errors.Is(err, fs.ErrExist) {
				if waits == len(lockWaits) {
					return nil, &LockedError{Ref: name, Lock: path}
				}
				r.pause(lockWaits[waits])
				waits++
				continue
			}
		}
		switch {
		case errors.Is(err, fs.ErrNotExist) && vanished < 100:
			vanished++
		case noFile(err):
			if clash := r.above(name); clash != "" {
				return nil, &ClashError{Ref: name, With: clash}
			}
			return nil, fmt.Errorf("locking the ref %s: %w", name, err)
		default:
			return nil, fmt.Errorf("locking the ref %s: %w", name, err)
		}
	}
}
