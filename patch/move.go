package patch

import (
	"errors"
	"fmt"
	"os"
)

// Move describes an update of a ref from one value to another.
type Move struct {
	Ref string
	// Old is the value that the ref must have now, or empty if the ref must not exist; New
	// is a commit.
	Old, New string
	// By and Reason are written to the ref's log, if it has one. The reason is written on
	// one line.
	By     Person
	Reason string
	// Check, if not nil, runs while the ref is locked; an error cancels the move.
	Check func() error
}

// MoveRef moves a ref that has no log, such as a proposal's ref.
func (r *Repository) MoveRef(ref, old, hash string) error {
	return r.Move(Move{Ref: ref, Old: old, New: hash})
}

// Move moves a ref with git's own lock protocol, which a concurrent native git honours:
// create <ref>.lock exclusively, verify the old value, write, sync, append to the ref's
// log, rename. Move never removes the lock after the rename, because the lock may then
// belong to another process.
//
// Move fails with ErrMoved if the ref has another value, with a *LockedError if its lock
// stays taken, and with a *ClashError if the ref would lie inside another ref. It does not
// use `git update-ref`, because Move must work without git, takes a thirtieth of the time
// that starting git takes, and must not run a reference-transaction hook.
func (r *Repository) Move(m Move) (err error) {
	if err := checkRef(m.Ref); err != nil {
		return err
	}
	if !hashForm.MatchString(m.New) || m.New == zero {
		return fmt.Errorf("%q is not a commit", m.New)
	}
	lock, err := r.lock(m.Ref)
	if err != nil {
		return err
	}
	renamed := false
	defer func() {
		if !renamed {
			err = errors.Join(err, lock.Close(), os.Remove(lock.Name()))
		}
	}()
	if err := r.clashes(m.Ref); err != nil {
		return err
	}
	now, err := r.Ref(m.Ref)
	if err != nil {
		return err
	}
	if now != m.Old {
		return fmt.Errorf("moving the ref %s: %w: it is at %s, not %s", m.Ref, ErrMoved, orNone(now), orNone(m.Old))
	}
	if m.Check != nil {
		if err := m.Check(); err != nil {
			return err
		}
	}
	_, err = lock.WriteString(m.New + "\n")
	if err == nil {
		err = lock.Sync()
	}
	if err != nil {
		return fmt.Errorf("moving the ref %s: %w", m.Ref, err)
	}
	if err := r.log(m); err != nil {
		return fmt.Errorf("moving the ref %s: %w", m.Ref, err)
	}
	if err := os.Rename(lock.Name(), r.refPath(m.Ref)); err != nil {
		return fmt.Errorf("moving the ref %s: %w", m.Ref, err)
	}
	renamed = true
	_ = lock.Close() // the file was synced
	return nil
}

func orNone(h string) string {
	if h == "" {
		return "nothing"
	}
	return h[:8]
}
