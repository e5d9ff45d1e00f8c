package batch

import (
	"context"
	"testing"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/runtime/agent"
)

// TestANightThatReachedNothingMeasuresNothing checks that a night whose agent refused every
// connection has used no evaluations and is no estimate for the next plan.
func TestANightThatReachedNothingMeasuresNothing(t *testing.T) {
	for name, refusing := range map[string]string{"a server on this machine": "127.0.0.1:9", "elsewhere": ""} {
		t.Run(name, func(t *testing.T) {
			a := archive.OpenMemory()
			o := toyOptions(toyWorkspace(t, 20), a, inProcess(func(context.Context, agent.Request) agent.Result {
				return agent.Result{Outcome: agent.Infrastructure, Error: "connection refused", Refusing: refusing}
			}), 200)
			o.Concurrency = 2
			s, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			tally, err := a.Tally(t.Context(), s.Run.ID, "toy")
			if err != nil {
				t.Fatal(err)
			}
			if l := s.Run.Limits[0]; s.Run.State != archive.RunFailed || l.Used != 0 || l.Made != 0 || l.Seconds != 0 || tally.Used() != 0 {
				t.Errorf("%s: %+v, %+v", s.Run.State, l, tally)
			}
			list, err := Forecast(t.Context(), Options{Workspace: toyWorkspace(t, 20), Budget: workspace.Budget{Time: time.Hour}, Concurrency: 1, Env: night.Env{Archive: a, Now: time.Now}})
			if err != nil || list[0].Known() || list[0].Run != "" {
				t.Errorf("the forecast is %+v, %v", list, err)
			}
		})
	}
}
