package policy

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"evolve/runtime/agent"
)

// TestRefused tests which errors come from shared limits and which are failures of the call
// itself.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		want  bool
		spent bool
		after time.Duration
	}{
		"budget":           {err: &BudgetError{Scope: "run", What: "calls", Limit: "5"}, want: true, spent: true},
		"budget held":      {err: &BudgetError{Scope: "run", What: "usd", Limit: "5", Held: true}, want: true},
		"breaker":          {err: &CircuitOpenError{RetryAfter: time.Second}, want: true, after: time.Second},
		"rate":             {err: &RateLimitedError{RetryAfter: time.Minute}, want: true, after: time.Minute},
		"other side's":     {err: &Failure{Outcome: agent.RateLimited, RetryAfter: time.Hour, Err: errors.New("429")}, want: true, after: time.Hour},
		"deadline":         {err: &TimeoutError{Elapsed: time.Second, Deadline: time.Second}},
		"deadline, waited": {err: &TimeoutError{Elapsed: time.Second, Deadline: time.Second, Waited: time.Second / 2}, want: true},
		"failure":          {err: &Failure{Outcome: agent.Execution, Err: errors.New("500")}},
		"nothing":          {},
	} {
		r := Refused(Tool, "grep", c.err)
		if (r != nil) != c.want {
			t.Errorf("%s: %v", name, r)
			continue
		}
		if r != nil && (r.Spent != c.spent || r.RetryAfter != c.after || !strings.HasPrefix(r.Policy, "tool grep: ") || (r.Tool == "grep") != (name == "breaker")) {
			t.Errorf("%s: %+v", name, *r)
		}
	}
}

// TestHeldIsNotSpent tests that a budget reserved by other calls is not reported as
// spent.
func TestHeldIsNotSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, Options{Book: Book{Tools: map[string]Settings{"t": {PerRun: Budget{USD: 1}}}}})
		call := Call{Kind: Tool, Name: "t", Origin: local, Agent: "a", Estimate: Spent{USD: .6}}
		running, end := make(chan struct{}), make(chan struct{})
		first := make(chan error)
		go func() {
			_, err := e.Do(t.Context(), call, func(context.Context, int) (Spent, error) {
				close(running)
				<-end
				return Spent{USD: .1}, nil
			})
			first <- err
		}()
		<-running
		try := func() *agent.Refusal {
			_, err := e.Do(t.Context(), call, func(context.Context, int) (Spent, error) { return Spent{USD: .6}, nil })
			return Refused(Tool, "t", err)
		}
		if r := try(); r == nil || r.Spent {
			t.Errorf("while another holds .6 of 1: %+v", r)
		}
		close(end)
		if err := <-first; err != nil {
			t.Fatal(err)
		}
		if r := try(); r != nil {
			t.Errorf("once it gave .5 back: %+v", r)
		}
		if r := try(); r == nil || !r.Spent {
			t.Errorf("with .7 of 1 spent: %+v", r)
		}
	})
}

// TestWaits tests that the time spent waiting for a permit is counted, and the time spent
// running is not.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, Options{Book: Book{Tools: map[string]Settings{"t": {Concurrency: 1, Deadline: 10 * time.Second}}}})
		call := Call{Kind: Tool, Name: "t", Origin: local, Agent: "a"}
		done := make(chan error)
		go func() {
			_, err := e.Do(t.Context(), call, func(context.Context, int) (Spent, error) {
				time.Sleep(3 * time.Second)
				return Spent{}, nil
			})
			done <- err
		}()
		synctest.Wait()
		var w Waits
		ctx := WithWaits(t.Context(), &w)
		go func() {
			time.Sleep(time.Second)
			if got := w.Total(time.Now()); got != time.Second {
				t.Errorf("while it waits: %s", got)
			}
		}()
		if _, err := e.Do(ctx, call, func(context.Context, int) (Spent, error) {
			time.Sleep(2 * time.Second)
			return Spent{}, nil
		}); err != nil {
			t.Fatal(err)
		}
		if got := w.Total(time.Now()); got != 3*time.Second {
			t.Errorf("waited %s, want 3s", got)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	})
}
