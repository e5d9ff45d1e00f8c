package batch

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
)

// TestARateHoldsTheNight checks that if the evaluations of an agent wait for an hourly
// rate, the work on the agent ends when its minute is over, and that the reason names the
// rate.
func TestARateHoldsTheNight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := archive.OpenMemory()
		answer, calls := toyAgent(40), 0
		o := toyOptions(toyWorkspace(t, 40), store, inProcess(func(ctx context.Context, req agent.Request) agent.Result {
			if calls++; calls == 1 {
				return answer(ctx, req)
			}
			by := agent.Refusal{Policy: "agent toy: rate limited by roles.toy.rate", RetryAfter: time.Hour}
			return agent.Result{Outcome: agent.Infrastructure, Error: by.Policy, Refused: &by}
		}), 0)
		o.Concurrency = 1
		o.Budget = workspace.Budget{Time: time.Minute}
		o.Sleep = func(ctx context.Context, d time.Duration) error {
			select {
			case <-time.After(d):
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		begun := time.Now()
		s, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took > time.Minute {
			t.Errorf("a night of a minute took %s", took)
		}
		if s.Run.Exit != ExitBudget || !strings.Contains(s.Run.Reason, "roles.toy.rate") || !strings.Contains(s.Results[0].Reason, "roles.toy.rate") {
			t.Errorf("exit %d, %q; %+v", s.Run.Exit, s.Run.Reason, s.Results[0])
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
