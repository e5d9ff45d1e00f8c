package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/mutate/night"
	"evolve/runtime/agent"
)

// toyAgents extends a workspace to n agents, all like its first agent.
func toyAgents(w *workspace.Workspace, n int) *workspace.Workspace {
	first := w.Agents[0]
	for i := 2; i <= n; i++ {
		a := first
		a.ID, a.Hash = fmt.Sprint("toy", i), fmt.Sprint("toy", i)
		w.Agents = append(w.Agents, a)
	}
	return w
}

// TestAgentsRunSideBySide checks that the agents of a night are evaluated simultaneously,
// within the slots of the run. The report and the numbers of proposals must be the same
// as for agents run one after another, and an agent that is run by itself must have the
// same result.
func TestAgentsRunSideBySide(t *testing.T) {
	seed := int64(7)
	night := func(concurrency, agents, evaluations int, met chan struct{}) (s Summary, report string) {
		a := archive.OpenMemory()
		var running, top atomic.Int64
		var mu sync.Mutex
		began := map[string]bool{}
		o := toyOptions(toyAgents(toyWorkspace(t, 100), agents), a, nil, evaluations)
		o.Seed, o.Concurrency = &seed, concurrency
		o.Open = func(_ context.Context, w *workspace.Agent, _ string) (night.Opened, error) {
			run := inProcess(func(ctx context.Context, req agent.Request) agent.Result {
				now := running.Add(1)
				defer running.Add(-1)
				mu.Lock()
				top.Store(max(top.Load(), now))
				fresh := !began[w.ID]
				began[w.ID] = true
				all := len(began) == agents
				mu.Unlock()
				if fresh && met != nil { // the first evaluation of each agent waits for those of the other agents
					if all {
						close(met)
					}
					<-met
				}
				if w.ID == "toy" { // the agents after it finish before it
					for range 200 {
						runtime.Gosched()
					}
				}
				return toyAgent(100)(ctx, req)
			})
			return night.Opened{Agent: run, Identity: "toy", Sandbox: "in process", Close: func() error { return nil }}, nil
		}
		s, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if s.Run.Reached < int(top.Load()) || s.Run.Reached > concurrency || len(s.Run.Limits) != agents {
			t.Errorf("the record has %d evaluations at once and the limits of %d agents, %d and %d were", s.Run.Reached, len(s.Run.Limits), top.Load(), agents)
		}
		return s, stableReport(t, a, s.Run.ID)
	}
	three, beside := night(4, 3, 3000, make(chan struct{}))
	_, after := night(1, 3, 3000, nil)
	if diff := cmp.Diff(after, beside); diff != "" {
		t.Errorf("one after another they tell another story:\n%s", diff)
	}
	one, _ := night(4, 1, 1000, nil)
	story := func(r archive.AgentResult) string {
		found, err := json.Marshal(r.Search)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(r.Agent, r.Verdict, r.Winner, r.Reason, string(found))
	}
	if diff := cmp.Diff(story(one.Results[0]), story(three.Results[0])); diff != "" {
		t.Errorf("by itself the first finds:\n%s", diff)
	}
	var proposals []string
	for _, r := range three.Results {
		proposals = append(proposals, r.Proposals...)
	}
	if !slices.Equal(proposals, []string{"P1", "P2", "P3"}) {
		t.Errorf("the proposals are %v", proposals)
	}
}

// TestResumeSideBySide checks that a run of several agents that was cut off and resumed
// makes, in all, as many evaluations as an undisturbed run, and so repeats none. Its
// report must equal that of the undisturbed run, even if the agents then run one after
// another.
func TestResumeSideBySide(t *testing.T) {
	const agents, budget = 3, 900
	seed := int64(3)
	options := func(a *archive.Archive, run agent.Agent, concurrency int) Options {
		o := toyOptions(toyAgents(toyWorkspace(t, 50), agents), a, run, budget)
		o.Seed, o.Concurrency = &seed, concurrency
		o.Propose = func(_ context.Context, w *workspace.Agent, d review.Draft) (archive.ProposalRecord, error) {
			return archive.ProposalRecord{ID: "P of " + w.ID, Agent: w.ID, Variant: d.Variant.ID}, nil
		}
		return o
	}
	var calls atomic.Int64
	calm := archive.OpenMemory()
	s, err := Run(t.Context(), options(calm, counting(toyAgent(50), &calls, true), 4))
	if err != nil {
		t.Fatal(err)
	}
	undisturbed, whole, used := stableReport(t, calm, s.Run.ID), calls.Load(), s.Run.Limits
	for i, after := range []int64{0, 1, whole / 4, whole / 2, whole - 40, whole - 1} {
		at := t.TempDir()
		a, err := archive.Open(at, archive.Options{Owner: "test"})
		if err != nil {
			t.Fatal(err)
		}
		var begun atomic.Int64
		ctx, cut := context.WithCancelCause(t.Context())
		o := options(a, inProcess(func(ctx context.Context, req agent.Request) agent.Result {
			if begun.Add(1) > after {
				cut(errors.New("power cut"))
				return agent.Result{Outcome: agent.Cancelled}
			}
			return toyAgent(50)(ctx, req)
		}), 4)
		o.Drain = ctx
		s, err := Run(ctx, o)
		cut(nil)
		if err != nil {
			t.Fatalf("after %d: %v", after, err)
		}
		recorded := int64(0)
		for _, r := range s.Results {
			// A killed process leaves its run open, and leaves neither a result nor limits
			// of a night in progress.
			if r.Incomplete != "" {
				r.Finished = false
				if err := a.PutResult(t.Context(), r); err != nil {
					t.Fatal(err)
				}
				s.Run.Limits = slices.DeleteFunc(s.Run.Limits, func(l archive.AgentLimit) bool { return l.Agent == r.Agent })
			}
			for _, err := range a.Evaluations(t.Context(), s.Run.ID, r.Agent) {
				if err != nil {
					t.Fatal(err)
				}
				recorded++
			}
		}
		s.Run.State = archive.RunRunning
		if err := errors.Join(a.PutRun(t.Context(), s.Run), a.Close()); err != nil {
			t.Fatal(err)
		}
		if a, err = archive.Open(at, archive.Options{Owner: "test"}); err != nil {
			t.Fatal(err)
		}
		var again atomic.Int64
		s, err = Run(t.Context(), options(a, counting(toyAgent(50), &again, true), []int{4, 1}[i%2]))
		if err != nil {
			t.Fatalf("after %d: %v", after, err)
		}
		if s.Run.Resumed != 1 || recorded+again.Load() != whole {
			t.Errorf("after %d: resumed %d times; %d evaluations were recorded and %d made after that, undisturbed %d", after, s.Run.Resumed, recorded, again.Load(), whole)
		}
		if diff := cmp.Diff(undisturbed, stableReport(t, a, s.Run.ID)); diff != "" {
			t.Errorf("after %d: another report:\n%s", after, diff)
		}
		for k, l := range s.Run.Limits {
			if l.Agent != used[k].Agent || l.Used != used[k].Used || l.End != used[k].End {
				t.Errorf("after %d: agent %s used %d (%s); undisturbed %s %d (%s)", after, l.Agent, l.Used, l.End, used[k].Agent, used[k].Used, used[k].End)
			}
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestInterruptKeepsTheOrderOfProposals checks that if a run was interrupted before an
// agent had made its proposal, the agents after it make none, and that the resumed run
// numbers the proposals as an undisturbed run does.
func TestInterruptKeepsTheOrderOfProposals(t *testing.T) {
	const budget = 2000
	seed := int64(7)
	options := func(a *archive.Archive, evaluate func(agent string, run func() agent.Result) agent.Result) Options {
		o := toyOptions(toyAgents(toyWorkspace(t, 100), 2), a, nil, budget)
		o.Seed, o.Concurrency = &seed, 4
		o.Open = func(_ context.Context, w *workspace.Agent, _ string) (night.Opened, error) {
			run := inProcess(func(ctx context.Context, req agent.Request) agent.Result {
				return evaluate(w.ID, func() agent.Result { return toyAgent(100)(ctx, req) })
			})
			return night.Opened{Agent: run, Identity: "toy", Sandbox: "in process", Close: func() error { return nil }}, nil
		}
		return o
	}
	var used, made atomic.Int64 // evaluations of the second agent: in the undisturbed and in the interrupted run
	count := func(n *atomic.Int64) func(string, func() agent.Result) agent.Result {
		return func(id string, run func() agent.Result) agent.Result {
			if id == "toy2" {
				n.Add(1)
			}
			return run()
		}
	}
	proposals := func(s Summary) (out []string) {
		for _, r := range s.Results {
			out = append(out, strings.Join(append([]string{r.Agent}, r.Proposals...), " "))
		}
		return out
	}
	want := []string{"toy P1", "toy2 P2"}
	calm, err := Run(t.Context(), options(archive.OpenMemory(), count(&used)))
	if err != nil || !slices.Equal(proposals(calm), want) {
		t.Fatalf("undisturbed: %v, %v", proposals(calm), err)
	}

	a := archive.OpenMemory()
	drain, interrupt := context.WithCancelCause(t.Context())
	waited := make(chan struct{})
	var begun atomic.Bool
	o := options(a, func(id string, run func() agent.Result) agent.Result {
		if id == "toy" { // its first evaluation lasts until the other agent makes its last one
			if begun.CompareAndSwap(false, true) {
				<-waited
			}
			return run()
		}
		out := run()
		if made.Add(1) == used.Load() {
			interrupt(night.ErrInterrupted)
			close(waited)
		}
		return out
	})
	o.Drain = drain
	s, err := Run(t.Context(), o)
	if err != nil || s.Run.State != archive.RunInterrupted || made.Load() != used.Load() || !slices.Equal(proposals(s), []string{"toy", "toy2"}) {
		t.Fatalf("interrupted: state %s, %d of %d evaluations of the second agent, proposals %v, %v", s.Run.State, made.Load(), used.Load(), proposals(s), err)
	}
	o = options(a, count(&made))
	o.Resume = ResumeAny
	s, err = Run(t.Context(), o)
	if err != nil || s.Run.Resumed != 1 || !slices.Equal(proposals(s), want) {
		t.Errorf("resumed %d times: %v, %v", s.Run.Resumed, proposals(s), err)
	}
}

// TestOneAgentEndsTheRun checks that if one agent ends the run, agents in progress continue
// but no other agent begins, and that the run is resumed where it ended.
func TestOneAgentEndsTheRun(t *testing.T) {
	a := archive.OpenMemory()
	options := func(broken bool) Options {
		o := toyOptions(toyAgents(toyWorkspace(t, 40), 4), a, toyAgent(40), 1200)
		seed := int64(3)
		o.Seed, o.Concurrency = &seed, 2
		begun, failed := make(chan struct{}), make(chan struct{})
		var first sync.Once
		o.Open = func(_ context.Context, w *workspace.Agent, _ string) (night.Opened, error) {
			out := night.Opened{Agent: toyAgent(40), Parallel: 1, Identity: "toy", Sandbox: "in process", Close: func() error { return nil }}
			switch {
			case broken && w.ID == "toy":
				out.Agent = inProcess(func(context.Context, agent.Request) agent.Result {
					<-begun
					return agent.Result{Outcome: agent.Infrastructure, Error: "the model is gone"}
				})
				out.Close = func() error { close(failed); return nil }
			case broken:
				out.Agent = inProcess(func(ctx context.Context, req agent.Request) agent.Result {
					first.Do(func() { close(begun) })
					<-failed
					return toyAgent(40)(ctx, req)
				})
			}
			return out, nil
		}
		return o
	}
	s, err := Run(t.Context(), options(true))
	if err != nil {
		t.Fatal(err)
	}
	ids := func(s Summary) string {
		var out []string
		for _, r := range s.Results {
			out = append(out, r.Agent)
		}
		return strings.Join(out, " ")
	}
	if s.Run.Exit != ExitInfrastructure || !strings.Contains(s.Run.Reason, "the model is gone") || ids(s) != "toy toy2" || s.Results[0].Finished || !s.Results[1].Finished {
		t.Fatalf("the run ended with %d, %q, and results of %s", s.Run.Exit, s.Run.Reason, ids(s))
	}
	s.Run.State = archive.RunRunning
	if err := a.PutRun(t.Context(), s.Run); err != nil {
		t.Fatal(err)
	}
	again, err := Run(t.Context(), options(false))
	if err != nil || again.Run.ID != s.Run.ID || ids(again) != "toy toy2 toy3 toy4" {
		t.Errorf("run %s was taken up as %s, with results of %s: %v", s.Run.ID, again.Run.ID, ids(again), err)
	}
}

// TestSharesOfMoney checks that agents that run side by side spend no more than the run
// has, and that no agent spends more than its part.
func TestSharesOfMoney(t *testing.T) {
	a := archive.OpenMemory()
	o := toyOptions(toyAgents(toyWorkspace(t, 40), 3), a, inProcess(func(ctx context.Context, req agent.Request) agent.Result {
		r := toyAgent(40)(ctx, req)
		r.Usage.CostUSD = .01
		return r
	}), 0)
	o.Budget = workspace.Budget{USD: 9}
	s, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Results {
		spent := 0.
		for e, err := range a.Evaluations(t.Context(), s.Run.ID, r.Agent) {
			if err != nil {
				t.Fatal(err)
			}
			spent += e.Paid()
		}
		if spent > 3+1e-9 || spent < 2 {
			t.Errorf("agent %s spent $%.2f of $3", r.Agent, spent)
		}
	}
	if s.Run.PaidUSD > 9 {
		t.Errorf("the run spent $%.2f of $9", s.Run.PaidUSD)
	}
}

// TestDrainBeforeASlot checks that an evaluation that waits for a slot does not begin once
// the run is being drained.
func TestDrainBeforeASlot(t *testing.T) {
	drain, end := context.WithCancel(t.Context())
	o := toyOptions(toyAgents(toyWorkspace(t, 40), 2), archive.OpenMemory(), nil, 400)
	o.Drain, o.Concurrency = drain, 2
	var calls atomic.Int64
	o.Open = func(context.Context, *workspace.Agent, string) (night.Opened, error) {
		return night.Opened{Agent: inProcess(func(ctx context.Context, req agent.Request) agent.Result {
			if calls.Add(1) == 20 {
				end()
			}
			return toyAgent(40)(ctx, req)
		}), Identity: "toy", Sandbox: "in process", Close: func() error { return nil }}, nil
	}
	s, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if s.Run.Exit != ExitInterrupted || calls.Load() > 22 {
		t.Errorf("exit %d after %d evaluations", s.Run.Exit, calls.Load())
	}
	if slices.ContainsFunc(s.Results, func(r archive.AgentResult) bool { return r.Finished }) {
		t.Error("a result is that of a finished night")
	}
}
