package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/mutate/night"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// inProcess adapts a function to an agent.
type inProcess func(ctx context.Context, req agent.Request) agent.Result

func (f inProcess) Run(ctx context.Context, req agent.Request) agent.Result { return f(ctx, req) }

// toySpace has one parameter of each kind that a search varies.
func toySpace() agent.Space {
	return agent.Space{Params: []agent.Param{
		{Name: "reach", Kind: agent.Float, Min: 0, Max: 1, Default: 0.2},
		{Name: "steps", Kind: agent.Int, Min: 1, Max: 64, Log: true, Default: int64(4)},
		{Name: "planner", Kind: agent.Choice, Values: []any{"none", "linear", "tree"}, Default: "none"},
		{Name: "retrieve", Kind: agent.Bool, Default: false},
	}}
}

// toySkill is the true skill of a config, in [0,1]. The best config has reach .7, 16 steps
// and the planner tree, with retrieval.
func toySkill(c agent.Config) float64 {
	s := 1 - 1.5*math.Abs(c.Float("reach", 0)-0.7) - 0.08*math.Abs(math.Log2(c.Float("steps", 1))-4)
	if c.String("planner") == "tree" {
		s += 0.15
	}
	if c.Bool("retrieve", false) {
		s += 0.15
	}
	return s / 1.3
}

// toyAgent solves task k of n if its skill is above k/n. It is deterministic and ignores
// the seed.
func toyAgent(n int) inProcess {
	return func(_ context.Context, req agent.Request) agent.Result {
		var k int
		if err := json.Unmarshal(req.Task.Input, &k); err != nil {
			return agent.Result{Outcome: agent.Execution, Error: err.Error()}
		}
		answer := "no"
		if toySkill(req.Config) > float64(k)/float64(n) {
			answer = "yes"
		}
		return agent.Result{Answer: &answer, Outcome: agent.OK}
	}
}

// toyWorkspace returns a workspace that has one agent with a suite of n tasks.
func toyWorkspace(t testing.TB, n int) *workspace.Workspace {
	t.Helper()
	yes := "yes"
	tasks := make([]bench.Task, n)
	for k := range tasks {
		tasks[k] = bench.Task{ID: fmt.Sprintf("t%d", k), Domain: []string{"north", "south"}[k%2], Goal: "say yes", Input: json.RawMessage(fmt.Sprint(k)), Answer: &yes}
	}
	if conflicts := bench.AssignSplits(tasks); len(conflicts) > 0 {
		t.Fatal(conflicts)
	}
	space := toySpace()
	settings := workspace.DefaultSettings()
	return &workspace.Workspace{
		Root: t.TempDir(), Settings: settings,
		Suites: map[string]*bench.Suite{"toys": {Name: "toys", Tasks: tasks, Hash: "toys"}},
		Agents: []workspace.Agent{{
			ID: "toy", Adapter: workspace.Adapter{Kind: "builtin"}, Deterministic: true, Suites: []string{"toys"},
			Space: space, Known: space, Champion: space.Default(), Hash: "toy",
		}},
	}
}

// exactGrading compares the answer with the task's answer.
func exactGrading([]*bench.Suite, model.Model, []bench.Evaluation) (bench.GradeFunc, error) {
	return func(_ context.Context, in bench.GradeInput) (bench.Grading, error) {
		if in.Result.Outcome.Gradable() && in.Result.Answer != nil && *in.Result.Answer == *in.Task.Answer {
			return bench.Grading{Score: 1, Pass: true}, nil
		}
		return bench.Grading{}, nil
	}, nil
}

// toyOptions returns options that run the given agent in the workspace with the archive.
func toyOptions(w *workspace.Workspace, a *archive.Archive, run agent.Agent, evaluations int) Options {
	proposals := 0
	return Options{
		Workspace: w, Budget: workspace.Budget{Evaluations: evaluations}, Concurrency: 8, Lookahead: 32,
		Open: func(context.Context, *workspace.Agent, string) (night.Opened, error) {
			return night.Opened{Agent: run, Identity: "toy", Sandbox: "in process", Close: func() error { return nil }}, nil
		},
		Propose: func(_ context.Context, a *workspace.Agent, d review.Draft) (archive.ProposalRecord, error) {
			proposals++
			return archive.ProposalRecord{ID: fmt.Sprintf("P%d", proposals), Agent: a.ID, Variant: d.Variant.ID}, nil
		},
		Env: night.Env{
			Archive: a, Grading: exactGrading, Now: time.Now, Sleep: func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) },
			Log: slog.New(slog.DiscardHandler), Drain: context.Background(),
		},
		Binary: "test", Host: "test",
	}
}

// diskArchive opens an archive on disk.
func diskArchive(t testing.TB) *archive.Archive {
	t.Helper()
	a, err := archive.Open(t.TempDir(), archive.Options{Owner: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// whole skips a test of many nights in short mode. The race detector makes such a test ten
// times as slow, and other tests cover the same goroutines.
func whole(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("many nights, which the tests that are not short live through")
	}
}
