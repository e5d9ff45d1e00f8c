package policy

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

func TestRetries(t *testing.T) {
	plain := errors.New("no such row")
	cases := map[string]struct {
		errs     []error // errors of the attempts, then nil
		change   func(*Call)
		attempts int
		err      error
	}{
		"until it succeeds":                {errs: []error{failure(0), failure(0)}, attempts: 3},
		"up to the last attempt":           {errs: []error{failure(0), failure(0), failure(0), failure(0)}, attempts: 3, err: errDown},
		"not for an effect":                {errs: []error{failure(0)}, change: func(c *Call) { c.Repeatable = false }, attempts: 1, err: errDown},
		"not for another error":            {errs: []error{plain}, attempts: 1, err: plain},
		"not when it cannot help":          {errs: []error{&Failure{Outcome: agent.Execution, Err: errDown}}, attempts: 1, err: errDown},
		"a wrapped failure counts":         {errs: []error{errors.Join(plain, failure(0))}, attempts: 2},
		"an error that cannot be compared": {errs: []error{incomparable{failure(0)}}, attempts: 2},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := engine(t, remote(Settings{Attempts: 3, Backoff: time.Second}))
				in := call("1")
				if c.change != nil {
					c.change(&in)
				}
				var seen []int
				applied, err := e.Do(t.Context(), in, func(_ context.Context, n int) (Spent, error) {
					seen = append(seen, n)
					if n <= len(c.errs) {
						return Spent{}, c.errs[n-1]
					}
					return Spent{}, nil
				})
				if !errors.Is(err, c.err) || applied.Attempts != c.attempts || len(seen) != c.attempts || seen[len(seen)-1] != c.attempts {
					t.Errorf("attempts %v, applied %d: %v", seen, applied.Attempts, err)
				}
			})
		})
	}
}

type incomparable []error

func (e incomparable) Error() string { return e[0].Error() }
func (e incomparable) Unwrap() error { return e[0] }

// pauses returns the pauses between the attempts of a call that always fails.
func pauses(t *testing.T, s Settings, c Call, err error) (out []time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, remote(s))
		last := time.Now()
		_, _ = e.Do(t.Context(), c, func(_ context.Context, n int) (Spent, error) {
			if n > 1 {
				out = append(out, time.Since(last))
			}
			last = time.Now()
			return Spent{}, err
		})
	})
	return out
}

func TestBackoff(t *testing.T) {
	s := Settings{Deadline: time.Hour, Attempts: 6, Backoff: time.Second, MaxBackoff: 5 * time.Second}
	first := pauses(t, s, call("a"), failure(0))
	for i, full := range []time.Duration{1, 2, 4, 5, 5} {
		if full *= time.Second; first[i] < full/2 || first[i] >= full {
			t.Errorf("pause %d is %v, not between %v and %v", i+1, first[i], full/2, full)
		}
	}
	if diff := cmp.Diff(first, pauses(t, s, call("a"), failure(0))); diff != "" {
		t.Errorf("the same seed and id:\n%s", diff)
	}
	if slices.Equal(first, pauses(t, s, call("b"), failure(0))) {
		t.Error("another id has the same jitter")
	}
	other := call("a")
	other.Seed++
	if slices.Equal(first, pauses(t, s, other, failure(0))) {
		t.Error("another seed has the same jitter")
	}
	for i, p := range pauses(t, s, call("a"), failure(time.Minute)) {
		if p != time.Minute {
			t.Errorf("pause %d is %v although the server asked for a minute", i+1, p)
		}
	}
	for i, p := range pauses(t, s, call("a"), failure(time.Nanosecond)) {
		if p != first[i] {
			t.Errorf("pause %d is %v: a short retry-after took the place of the backoff %v", i+1, p, first[i])
		}
	}
}

func TestPauseBeyondDeadlineIsNotBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, remote(Settings{Deadline: time.Second, Attempts: 3, Backoff: time.Minute}))
		began := time.Now()
		applied, err := e.Do(t.Context(), call("1"), fails(failure(0)))
		if !errors.Is(err, errDown) || applied.Attempts != 1 || time.Since(began) != 0 {
			t.Errorf("%d attempts in %v: %v", applied.Attempts, time.Since(began), err)
		}
	})
}
