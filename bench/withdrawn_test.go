package bench

import (
	"context"
	"errors"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// TestWithdrawnEvaluation checks that an evaluation that the agent had not begun when the
// run was drained is not recorded and costs nothing.
func TestWithdrawnEvaluation(t *testing.T) {
	stopped := errors.New("a person stopped it")
	drain, end := context.WithCancelCause(t.Context())
	b := newBed(t, Settings{Drain: drain}, scripted(func(ctx context.Context, _ agent.Request) agent.Result {
		end(stopped)
		<-policy.Waiting(ctx).Done()
		return agent.Result{Outcome: agent.Cancelled}
	}), exactly)
	b.harness.budget = NewBudget(1, time.Time{}, time.Now)
	first, err := b.harness.budget.Reserve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first.Settle(.25, time.Second)
	if _, err := b.harness.Evaluate(t.Context(), job(task("t", "yes"))); !errors.Is(err, stopped) {
		t.Errorf("ended with %v", err)
	}
	if spent, made := b.harness.budget.Spent(), b.harness.budget.Made(); spent != .25 || made.Evaluations != 1 || b.calls != 1 || len(b.shelf.list) != 0 {
		t.Errorf("after %d calls, %d kept, $%v spent on %+v", b.calls, len(b.shelf.list), spent, made)
	}
	for range 3 { // nothing is held
		if _, err := b.harness.budget.Reserve(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
