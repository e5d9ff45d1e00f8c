package batch

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/runtime/agent"
)

// TestAFinishedNightIsNotRunAgain checks that a resumed run does not repeat the work on
// an agent if that work was already finished, even if some of the evaluations are missing
// data, and that the agent's recorded result stays.
func TestAFinishedNightIsNotRunAgain(t *testing.T) {
	t.Parallel()
	w := toyWorkspace(t, 24)
	second := w.Agents[0]
	second.ID, second.Hash = "other", "other"
	w.Agents = append(w.Agents, second)
	store := diskArchive(t)
	calls := 0
	o := toyOptions(w, store, inProcess(func(ctx context.Context, req agent.Request) agent.Result {
		calls++
		if calls == 3 {
			return agent.Result{Outcome: agent.Infrastructure, Error: "the connection was lost"}
		}
		return toyAgent(24)(ctx, req)
	}), 400)
	o.Concurrency, o.Lookahead = 1, 1
	open := o.Open
	var opened []string
	power := errors.New("the power went out")
	fails := true
	o.Open = func(ctx context.Context, a *workspace.Agent, scratch string) (night.Opened, error) {
		opened = append(opened, a.ID)
		if fails && a.ID == "other" {
			return night.Opened{}, power
		}
		return open(ctx, a, scratch)
	}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	run, err := store.Run(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	was, err := store.Result(t.Context(), run.ID, "toy")
	if err != nil || !was.Finished {
		t.Fatalf("%+v, %v", was, err)
	}
	// A killed process leaves a run in this state.
	run.State, run.Exit, run.Reason = archive.RunRunning, 0, ""
	if err := store.PutRun(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	made := len(listed(t, store.Evaluations(t.Context(), run.ID, "toy")))
	opened, fails = nil, false
	s, err := Run(t.Context(), o)
	if err != nil || s.Run.ID != run.ID || s.Run.Resumed != 1 || s.Run.State != archive.RunDone {
		t.Fatalf("%+v, %v", s.Run, err)
	}
	if !slices.Equal(opened, []string{"other"}) {
		t.Errorf("worked on again: %v", opened)
	}
	if len(s.Results) != 2 || len(s.Plans) != 2 {
		t.Fatalf("%d results, %d plans", len(s.Results), len(s.Plans))
	}
	if diff := cmp.Diff(was, s.Results[0]); diff != "" {
		t.Error(diff)
	}
	if got := len(listed(t, store.Evaluations(t.Context(), run.ID, "toy"))); got != made {
		t.Errorf("%d evaluations, %d before", got, made)
	}
	if len(s.Run.Limits) != 2 {
		t.Errorf("limits: %+v", s.Run.Limits)
	}
}
