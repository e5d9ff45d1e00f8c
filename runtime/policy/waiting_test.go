package policy

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestWaitingEnds tests the end of the context for waiting. A call that is waiting for a
// rate, a permit or the next attempt stops waiting at once; a call that need not wait
// continues.
func TestWaitingEnds(t *testing.T) {
	quick := func(context.Context, int) (Spent, error) { return Spent{}, nil }
	for name, c := range map[string]struct {
		set    Settings
		before runner
		run    runner
		policy string
	}{
		"rate":    {Settings{Deadline: 24 * time.Hour, RateCalls: 1, RatePer: time.Hour}, quick, quick, "tools.remote.rate"},
		"room":    {Settings{Deadline: 24 * time.Hour, Concurrency: 1}, (&order{}).run("a", time.Hour), quick, "tools.remote.concurrency"},
		"attempt": {Settings{Deadline: 24 * time.Hour, Attempts: 3, Backoff: time.Hour, MaxBackoff: time.Hour}, quick, func(context.Context, int) (Spent, error) { return Spent{}, failure(0) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := engine(t, remote(c.set))
				begun := time.Now()
				first, end := context.WithCancel(t.Context())
				defer end()
				done := make(chan error, 1)
				go func() {
					_, err := e.Do(first, call("1"), c.before)
					done <- err
				}()
				synctest.Wait()
				waiting, stop := context.WithTimeout(t.Context(), 5*time.Second)
				defer stop()
				_, err := e.Do(WithWaiting(t.Context(), waiting), call("2"), c.run)
				var limited *RateLimitedError
				if !errors.As(err, &limited) || limited.Policy != c.policy {
					t.Errorf("ended with %v, want the limit %q", err, c.policy)
				}
				if took := time.Since(begun); took != 5*time.Second {
					t.Errorf("waited %s, want 5s", took)
				}
				end()
				if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("the call under way ended with %v", err)
				}
				time.Sleep(2 * time.Hour)
				if _, err := e.Do(WithWaiting(t.Context(), waiting), call("3"), quick); err != nil {
					t.Errorf("a call that need not wait failed: %v", err)
				}
			})
		})
	}
}
