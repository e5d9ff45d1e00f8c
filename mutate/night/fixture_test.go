package night

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/confirm"
	"evolve/bench/stats"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// inProcess is an agent that consists of a function.
type inProcess func(ctx context.Context, req agent.Request) agent.Result

func (f inProcess) Run(ctx context.Context, req agent.Request) agent.Result { return f(ctx, req) }

// counting counts an agent's runs.
func counting(a agent.Agent, calls *atomic.Int64) inProcess {
	return func(ctx context.Context, req agent.Request) agent.Result {
		calls.Add(1)
		return a.Run(ctx, req)
	}
}

// toySpace returns a space with one parameter of each kind that a search varies.
func toySpace() agent.Space {
	return agent.Space{Params: []agent.Param{
		{Name: "reach", Kind: agent.Float, Min: 0, Max: 1, Default: 0.2},
		{Name: "steps", Kind: agent.Int, Min: 1, Max: 64, Log: true, Default: int64(4)},
		{Name: "planner", Kind: agent.Choice, Values: []any{"none", "linear", "tree"}, Default: "none"},
		{Name: "retrieve", Kind: agent.Bool, Default: false},
	}}
}

// toySkill returns the true skill of a config, in [0,1]. The best config has reach .7, 16
// steps, tree and retrieval.
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

// exactGrading compares the answer with the task's expected answer.
func exactGrading([]*bench.Suite, model.Model, []bench.Evaluation) (bench.GradeFunc, error) {
	return func(_ context.Context, in bench.GradeInput) (bench.Grading, error) {
		if in.Result.Outcome.Gradable() && in.Result.Answer != nil && *in.Result.Answer == *in.Task.Answer {
			return bench.Grading{Score: 1, Pass: true}, nil
		}
		return bench.Grading{}, nil
	}, nil
}

// nights runs nights of one agent, one after another, as a scheduler would. It needs no
// workspace.
type nights struct {
	budget   *bench.Budget // of the last process
	Agent    Agent
	Settings Settings
	Archive  *archive.Archive
	// Answer is the agent's program.
	Answer      inProcess
	Evaluations int
	USD         float64
	// Seed is the seed of the runs; if it is nil, each run uses its number.
	Seed        *int64
	Concurrency int
	// Fresh starts a new run beside an open one; otherwise the open run is resumed.
	Fresh    bool
	Binary   string
	Patience bench.Patience
	Grading  func([]*bench.Suite, model.Model, []bench.Evaluation) (bench.GradeFunc, error)
	Reflect  model.Model
	Now      func() time.Time
	Drain    context.Context
	// Refuse makes Propose return no proposal for a confirmed variant.
	Refuse bool
	// Gates decides what becomes of a draft. If it is nil, a draft becomes a proposal that
	// awaits a decision.
	Gates func(Draft) Proposed
	// Replaced is measured beside the reruns.
	Replaced agent.Config
}

// finished is a night that has ended.
type finished struct {
	Run    archive.Run
	Plan   archive.AgentPlan
	Result archive.AgentResult
}

// newNights returns nights of an agent on n tasks.
func newNights(t testing.TB, n int) *nights {
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
	return &nights{
		Agent: Agent{
			ID: "toy", Adapter: "builtin", Hash: "toy", Deterministic: true, Champion: space.Default(), Space: space, Known: space,
			Suites: []*bench.Suite{{Name: "toys", Tasks: tasks, Hash: "toys"}}, Guards: guards(),
		},
		Settings: Settings{Confirm: confirm.DefaultSettings(), Baseline: .1},
		Archive:  archive.OpenMemory(), Answer: toyAgent(n), Concurrency: 8, Binary: "test", Grading: exactGrading,
		Now: time.Now, Drain: context.Background(),
	}
}

// guards returns the bound on the mean cost that a deterministic agent has under the
// default settings.
func guards() []stats.Bound {
	m, _ := bench.MetricOf(bench.MetricCost)
	return []stats.Bound{{Name: m.Name, Of: stats.Mean, AtMost: stats.AtMost, Floor: m.Floor}}
}

// suite returns the agent's only suite.
func (o *nights) suite() *bench.Suite { return o.Agent.Suites[0] }

// plan returns the next night, or the open night if it is to be resumed.
func (o *nights) plan(t testing.TB) Spec {
	t.Helper()
	ctx := t.Context()
	latest, err := o.Archive.Run(ctx, "")
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		t.Fatal(err)
	}
	run := archive.Run{Number: latest.Number + 1, Started: o.Now()}
	if latest.ID != "" && latest.State != archive.RunDone && !o.Fresh {
		run = latest
		run.Resumed++
	}
	run.ID, run.State, run.Agents, run.Binary = fmt.Sprintf("%d-toy", run.Number), archive.RunRunning, []string{o.Agent.ID}, o.Binary
	run.Seed, run.Lookahead, run.Concurrency, run.BudgetEval = int64(run.Number), 32, o.Concurrency, o.Evaluations
	if o.Seed != nil {
		run.Seed = *o.Seed
	}
	s := Spec{Agent: o.Agent, Settings: o.Settings, Run: &run, Replaced: o.Replaced, Env: Env{Archive: o.Archive, Now: o.Now}}
	if s.Variances, err = EstimateVariances(ctx, o.Archive, &s.Agent, run.Number); err != nil {
		t.Fatal(err)
	}
	var waits []archive.Waiting
	for p, err := range o.Archive.Proposals(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if p.AwaitsConfig() && p.Run != run.ID {
			waits = append(waits, archive.Waiting{Proposal: p.ID, Variant: p.Variant})
		}
	}
	plan := s.NewPlan(waits)
	plan.Run = run.ID
	s.Allocate(&plan, o.Evaluations)
	s.Plan = &plan
	s.Share = Share{Evaluations: o.Evaluations, USD: o.USD}
	return s
}

// start records the run and returns its night, ready to work.
func (o *nights) start(t testing.TB) *night {
	t.Helper()
	n := newNight(o.begin(t))
	if err := n.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	n.result = archive.AgentResult{Run: n.Run.ID, Agent: n.Agent.ID, Verdict: archive.Undecided}
	return n
}

// begin records the run and returns the description of its night.
func (o *nights) begin(t testing.TB) Spec {
	t.Helper()
	s := o.plan(t)
	s.Budget = bench.NewBudget(o.USD, time.Time{}, o.Now)
	if s.Run.Resumed > 0 {
		var paid bench.Account
		if o.budget != nil {
			paid.USD = o.budget.Spent()
		}
		s.Budget.Keep(paid, func(bench.Account) error { return nil })
	}
	o.budget = s.Budget
	if err := o.Archive.PutRun(t.Context(), *s.Run); err != nil {
		t.Fatal(err)
	}
	s.Scratch, s.Log, s.Drain, s.Patience, s.Grading = t.TempDir(), slog.New(slog.DiscardHandler), o.Drain, o.Patience, o.Grading
	s.Open = func(context.Context, string) (Opened, error) {
		return Opened{Agent: o.Answer, Identity: "toy", Sandbox: "in process", Reflect: o.Reflect, Close: func() error { return nil }}, nil
	}
	s.Propose = func(_ context.Context, d Draft) (Proposed, error) {
		if o.Refuse {
			return Proposed{}, nil
		}
		if o.Gates != nil {
			return o.Gates(d), nil
		}
		return Proposed{ID: fmt.Sprintf("P%d", s.Run.Number)}, nil
	}
	s.Sleep = func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }
	return s
}

// finish records the end of a run.
func (o *nights) finish(t testing.TB, run archive.Run, err error) {
	t.Helper()
	run.Ended, run.State = o.Now(), archive.RunDone
	if err != nil {
		run.State = archive.RunInterrupted
	}
	if err := o.Archive.Flush(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := o.Archive.PutRun(context.WithoutCancel(t.Context()), run); err != nil {
		t.Fatal(err)
	}
}

// run runs a night. An interrupted night stays open, as after a crash.
func (o *nights) run(t testing.TB) finished {
	t.Helper()
	s := o.begin(t)
	out, err := Run(o.Drain, s)
	if errors.Is(err, bench.ErrRecorder) {
		t.Fatal(err)
	}
	o.finish(t, *s.Run, err)
	return finished{*s.Run, *s.Plan, out.Result}
}

// diskArchive opens a real archive.
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

// whole skips a test of many nights in short test runs. The race detector makes such a test
// ten times as slow, and other tests cover the same goroutines.
func whole(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("other tests cover the same in fewer nights")
	}
}
