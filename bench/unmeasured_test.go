package bench

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"evolve/runtime/agent"
)

// TestFailuresAreNotMeasured checks that an attempt that infrastructure prevented adds
// nothing to the number of evaluations or to their time, and that the cost of the attempt
// is kept.
func TestFailuresAreNotMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		b := newBed(t, Settings{}, scripted(func(context.Context, agent.Request) agent.Result {
			if calls++; calls < 3 {
				time.Sleep(time.Millisecond)
				return agent.Result{Outcome: agent.Infrastructure, Error: "status 503", Usage: agent.Usage{CostUSD: .25}}
			}
			time.Sleep(time.Second)
			return agent.Result{Outcome: agent.OK, Usage: agent.Usage{CostUSD: .5}}
		}), func(context.Context, GradeInput) (Grading, error) { return Grading{Score: 1}, nil })
		budget := b.harness.budget
		if _, err := b.harness.Evaluate(t.Context(), job(task("a", "x"))); err != nil {
			t.Fatal(err)
		}
		if got, want := budget.Made(), (Made{Evaluations: 1, Took: time.Second, USD: 1}); got != want || budget.Spent() != 1 {
			t.Errorf("%+v, want %+v; spent %v", got, want, budget.Spent())
		}
	})
}
