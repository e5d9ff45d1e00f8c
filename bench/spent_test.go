package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// refusing returns an agent whose first n calls are refused by a shared limit.
func refusing(n int, by agent.Refusal) scripted {
	return func(context.Context, agent.Request) agent.Result {
		if n--; n < 0 {
			return answer("yes")
		}
		return agent.Result{Outcome: agent.Infrastructure, Error: by.Policy, Refused: &by, Usage: agent.Usage{CostUSD: .5}}
	}
}

// TestASpentBudgetEndsTheWork checks that an evaluation that finds the budget spent is
// stored as missing data with the name of the policy, and that nothing is retried.
func TestASpentBudgetEndsTheWork(t *testing.T) {
	b := newBed(t, Settings{}, refusing(100, agent.Refusal{Policy: "tool grep: budget exceeded: calls per run, limit 5", Spent: true}), exactly)
	e, err := b.harness.Evaluate(t.Context(), job(task("t", "yes")))
	var spent *SpentError
	if !errors.As(err, &spent) || !errors.Is(err, ErrBudget) || !strings.Contains(err.Error(), "tool grep") {
		t.Fatalf("error %v, want the spent budget", err)
	}
	if e.Scored || b.calls != 1 || len(b.shelf.list) != 1 || b.shelf.list[0].Outcome != agent.Infrastructure || b.shelf.list[0].Usage.CostUSD != .5 {
		t.Errorf("after %d calls: %+v, kept %+v", b.calls, e, b.shelf.list)
	}
}

// TestALimitIsWaitedOut checks that a retry waits for the delay that a temporary limit
// states.
func TestALimitIsWaitedOut(t *testing.T) {
	var slept pauses
	b := newBed(t, Settings{}, refusing(2, agent.Refusal{Policy: "provider lm: circuit open", RetryAfter: 30 * time.Second}), exactly)
	b.harness.breaker = NewBreaker(Patience{}, "champion", slept.sleep)
	e, err := b.harness.Evaluate(t.Context(), job(task("t", "yes")))
	if err != nil || !e.Scored || e.Score != 1 || e.Attempts != 3 {
		t.Fatalf("%+v, %v", e, err)
	}
	if len(slept) != 2 || slept[0] != 30*time.Second || slept[1] != 30*time.Second {
		t.Errorf("waited %v, want 30s twice", slept)
	}
}

// TestAToolThatStaysShutIsNotWaitedFor checks that a few evaluations wait for the open
// breaker of a tool until their attempts are used up. Later evaluations become missing
// data at once. This ends when the tool has had no refusal for a while. Limits of other
// kinds are waited for.
func TestAToolThatStaysShutIsNotWaitedFor(t *testing.T) {
	var slept pauses
	now := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	by := agent.Refusal{Policy: "tool far__search: circuit open", Tool: "far__search", RetryAfter: 30 * time.Second}
	b := newBed(t, Settings{}, scripted(func(ctx context.Context, r agent.Request) agent.Result { return refusing(100, by)(ctx, r) }), exactly)
	b.harness.breaker = NewBreaker(Patience{Streak: 1000}, "champion", slept.sleep)
	b.harness.now = func() time.Time { return now }
	evaluate := func(n int) int {
		t.Helper()
		before := len(slept)
		for i := range n {
			e, err := b.harness.Evaluate(t.Context(), job(task(fmt.Sprint("t", len(slept), "-", i), "yes")))
			if err != nil || e.Scored || e.Error != by.Policy {
				t.Fatalf("%+v, %v", e, err)
			}
		}
		return len(slept) - before
	}
	if got := evaluate(200); got != 9 { // three evaluations, each with three waits
		t.Errorf("200 evaluations waited %d times", got)
	}
	if by.Tool = "other"; evaluate(1) != 3 {
		t.Error("another tool is not waited for")
	}
	if by.Tool = ""; evaluate(5) != 15 {
		t.Error("a limit of another kind is not waited for")
	}
	by.Tool, now = "far__search", now.Add(11*time.Minute)
	if got := evaluate(10); got != 9 {
		t.Errorf("ten minutes later 10 evaluations waited %d times", got)
	}
}

// TestPausesAreBounded checks that successes between the pauses do not make the pauses
// endless, and that the error names the first cause.
func TestPausesAreBounded(t *testing.T) {
	var slept pauses
	b := NewBreaker(Patience{Attempts: 3, Streak: 2, Pauses: 3, AllPauses: 7}, "champion", slept.sleep)
	why := "no connection"
	for range 100 {
		if err := b.Finished("a", agent.OK); err != nil {
			t.Fatal(err)
		}
		for try := 1; try < 4; try++ {
			_, err := b.Infrastructure(t.Context(), try, why, 0, nil)
			why = "circuit open"
			if err == nil {
				continue
			}
			if !errors.Is(err, ErrOutage) || !strings.Contains(err.Error(), "paused 7 times") || !strings.HasSuffix(err.Error(), "the first cause: no connection") {
				t.Errorf("ended with %v", err)
			}
			return
		}
	}
	t.Fatal("it never ended")
}
