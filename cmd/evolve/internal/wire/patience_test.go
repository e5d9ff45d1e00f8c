package wire

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/archive"
)

// TestWhileHeld tests how long a command waits for other commands, and that it fails at
// once if a run holds the archive or another error occurs.
func TestWhileHeld(t *testing.T) {
	other := errors.New("other")
	for _, c := range []struct {
		name   string
		held   int // attempts that find the lock held
		by     error
		slept  time.Duration
		failed bool
	}{
		{"free", 0, nil, 0, false},
		{"held by a short command", 3, &archive.LockedError{Owner: "evolve feedback add", PID: 7}, 3 * lockPause, false},
		{"held by a reader", 3, &archive.LockedError{Waited: maxLockWait / 2}, lockPause, true},
		{"held for too long", 1000, &archive.LockedError{Owner: "evolve feedback add", PID: 7}, maxLockWait, true},
		{"held by a run", 3, &archive.LockedError{Owner: RunOwner, PID: 7}, 0, true},
		{"another error", 3, other, 0, true},
	} {
		slept, tries := time.Duration(0), 0
		h := &Host{Ctx: t.Context(), Sleep: func(_ context.Context, d time.Duration) error { slept += d; return nil }}
		err := h.WhileHeld(func() error {
			tries++
			var locked *archive.LockedError
			switch {
			case tries > c.held:
				return nil
			case errors.As(c.by, &locked):
				again := *locked
				return &again
			}
			return c.by
		})
		if slept != c.slept || (err != nil) != c.failed {
			t.Errorf("%s: slept %s, %v", c.name, slept, err)
		}
		var locked *archive.LockedError
		if errors.As(err, &locked) && locked.Waited < slept {
			t.Errorf("%s: the error states a wait of %s, not %s", c.name, locked.Waited, slept)
		}
	}
	stopped := &Host{Ctx: t.Context(), Sleep: func(context.Context, time.Duration) error { return context.Canceled }}
	if err := stopped.WhileHeld(func() error { return &archive.LockedError{} }); !errors.Is(err, archive.ErrLocked) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestAlone checks that a command that waits in vain for exclusive access names the
// command that has this access, and that the access can be taken once that command has
// released it.
func TestAlone(t *testing.T) {
	path, slept := filepath.Join(t.TempDir(), "memories"), time.Duration(0)
	h := &Host{Ctx: t.Context(), Now: time.Now, Sleep: func(_ context.Context, d time.Duration) error { slept += d; return nil }}
	release, err := h.Alone(path, "the memory of agents", "evolve memory retract")
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Alone(path, "the memory of agents", "evolve memory restore")
	if !errors.Is(err, archive.ErrLocked) || !strings.Contains(err.Error(), "the memory of agents is held by evolve memory retract (process ") || slept != maxLockWait {
		t.Errorf("after %s: %v", slept, err)
	}
	release()
	if release, err = h.Alone(path, "the memory of agents", "evolve memory restore"); err != nil {
		t.Fatal(err)
	}
	release()
}
