package bench

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"evolve/runtime/agent"
)

// TestWaitsEndWithTheTime checks that a wait for a limit ends with the name of the limit
// when the time for evaluations is over, and that it ends at once when the run is
// drained.
func TestWaitsEndWithTheTime(t *testing.T) {
	stopped := errors.New("a person stopped it")
	for name, c := range map[string]struct {
		drained bool
		streak  int
	}{
		"time before an attempt": {}, "time in a pause": {streak: 1}, "drain before an attempt": {drained: true}, "drain in a pause": {true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				drain, end := context.WithCancelCause(t.Context())
				defer end(nil)
				if c.drained {
					go func() {
						time.Sleep(5 * time.Second)
						end(stopped)
					}()
				}
				b := newBed(t, Settings{Drain: drain}, refusing(100, agent.Refusal{Policy: "rate limited by roles.solver.rate", RetryAfter: time.Hour}), exactly)
				b.harness.breaker = NewBreaker(Patience{Streak: c.streak}, "champion", sleeping)
				if !c.drained {
					b.harness.budget.Limit(0, time.Now().Add(5*time.Second))
				}
				begun := time.Now()
				_, err := b.harness.Evaluate(t.Context(), job(task("t", "yes")))
				var waited *WaitedError
				switch {
				case c.drained && !errors.Is(err, stopped):
					t.Errorf("ended with %v", err)
				case !c.drained && (!errors.As(err, &waited) || !errors.Is(err, ErrBudget) || !strings.Contains(err.Error(), "roles.solver.rate")):
					t.Errorf("ended with %v, want the limit", err)
				}
				if took := time.Since(begun); took != 5*time.Second || b.calls != 1 || len(b.shelf.list) != 0 {
					t.Errorf("after %s and %d calls, %d kept", took, b.calls, len(b.shelf.list))
				}
			})
		})
	}
}

// sleeping waits in real time.
func sleeping(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
