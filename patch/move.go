package patch

import (
	"errors"
	"fmt"
	"os"
)

// Move is a ref's way from one value to another.
type Move struct {
	Ref string
	// Old is what the ref must have, empty when it must not exist; New is a commit.
	Old, New string
	// By and Reason go into the ref's log, where it has one. Git writes the reason on
	// one line.
	By     Person
	Reason string
	// Check is asked while the ref is locked; its error keeps the ref where it is.
	// nil asks nothing.
	Check func() error
}

// MoveRef moves a ref that keeps no story of who moved it, such as a proposal's.
func (r *Repository) MoveRef(ref, old, hash string) error {
	return r.Move(Move{Ref: ref, Old: old, New: hash})
}

// Move moves a ref by git's own lock protocol, which native git beside it
// honours: make <ref>.lock exclusively, verify the old value, write, sync, append to
// the ref's log, rename. The lock is never removed after the rename: by then it may
// be somebody else's.
//
// It fails with ErrMoved when the ref has another value, with a *LockedError when
// its lock stays taken, and with a *ClashError when it would lie in another ref. It
// does this itself, not by `git update-ref`: it is needed where no git is installed,
// costs a thirtieth of starting one, and runs no hook of reference transactions.
func (r *Repository) Move(m Move) (err error) {
	if err := checkRef(m.Ref); err != nil {
		return err
	}
	if !hashForm.MatchString(m.New) || m.New == zero {
		return fmt.Errorf("%q is no commit", m.New)
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
	_ = lock.Close() // it was synced
	return nil
}

func orNone(h string) string {
	if h == "" {
		return "nothing"
	}
	return h[:8]
}
