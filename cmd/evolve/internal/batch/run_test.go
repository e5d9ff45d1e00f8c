package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/bench"
	"evolve/reports/model"
	"evolve/reports/render"
	"evolve/runtime/agent"
)

// stableReport returns the JSON report of a run without the report's object "volatile".
func stableReport(t *testing.T, a *archive.Archive, run string) string {
	t.Helper()
	r, err := model.Build(t.Context(), a, run)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := render.JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(b.Bytes(), &object); err != nil {
		t.Fatal(err)
	}
	if _, ok := object["volatile"]; !ok {
		t.Fatal("the report has no object volatile")
	}
	delete(object, "volatile")
	out, err := json.MarshalIndent(object, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// counting counts an agent's runs. With jitter, each run takes a random time, so results
// arrive in any order.
func counting(a agent.Agent, calls *atomic.Int64, jitter bool) inProcess {
	return func(ctx context.Context, req agent.Request) agent.Result {
		calls.Add(1)
		if jitter {
			for range rand.IntN(2000) { // unequal amounts of work, at random
				_ = req.Config.Canonical()
			}
		}
		return a.Run(ctx, req)
	}
}

func TestSameSeedSameNightAtAnyConcurrency(t *testing.T) {
	var first string
	for _, c := range []int{1, 4, 32} {
		a := archive.OpenMemory()
		var calls atomic.Int64
		o := toyOptions(toyWorkspace(t, 60), a, counting(toyAgent(60), &calls, true), 600)
		o.Concurrency = c
		seed := int64(7)
		o.Seed = &seed
		s, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		got := stableReport(t, a, s.Run.ID)
		if first == "" {
			first = got
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Errorf("concurrency %d tells another story:\n%s", c, diff)
		}
	}
}

func TestTheNightFindsAndConfirms(t *testing.T) {
	a := archive.OpenMemory()
	s, err := Run(t.Context(), toyOptions(toyWorkspace(t, 100), a, toyAgent(100), 2000))
	if err != nil {
		t.Fatal(err)
	}
	r := s.Results[0]
	if r.Verdict != archive.Adopt || len(r.Proposals) != 1 || r.Winner == "" {
		t.Fatalf("verdict %s (%s), proposals %v", r.Verdict, r.Reason, r.Proposals)
	}
	w, err := a.Variant(t.Context(), "toy", r.Winner)
	if err != nil {
		t.Fatal(err)
	}
	if was, is := toySkill(toySpace().Default()), toySkill(w.Config); is < was+0.3 {
		t.Errorf("the winner's true skill is %.2f, the champion's %.2f", is, was)
	}
	f := r.Finalist[0].Comparison
	if !(f.Lo > 0) || f.Tasks != 50 {
		t.Errorf("holdout %+v", f)
	}
	n := 0
	for _, err := range a.Exposures(t.Context(), "toy") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("the holdout's ledger has %d entries, want 1", n)
	}
}

func TestSearchOnlySpendsExactlyItsBudget(t *testing.T) {
	for _, budget := range []int{1, 17, 500} {
		var calls atomic.Int64
		a := archive.OpenMemory()
		o := toyOptions(toyWorkspace(t, 40), a, counting(toyAgent(40), &calls, false), budget)
		o.Stages = []string{SearchStage}
		s, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Results[0].Search.Evaluations; got != budget || calls.Load() != int64(budget) {
			t.Errorf("budget %d: %d evaluations, %d calls", budget, got, calls.Load())
		}
		for _, err := range a.Exposures(t.Context(), "toy") {
			t.Errorf("the holdout was opened (%v)", err)
		}
		for e, err := range a.Evaluations(t.Context(), s.Run.ID, "toy") {
			if err != nil || e.Split == bench.Holdout {
				t.Fatalf("a holdout task was evaluated: %+v, %v", e, err)
			}
		}
	}
}

// TestResumeRepaysNothing stops a night after a number of evaluations, as a crash would,
// resumes it, and compares it with an undisturbed night.
func TestResumeRepaysNothing(t *testing.T) {
	const budget = 500
	seed := int64(3)
	run := func(a *archive.Archive, run agent.Agent) (Summary, error) {
		o := toyOptions(toyWorkspace(t, 50), a, run, budget)
		o.Seed = &seed
		return Run(t.Context(), o)
	}
	var calls atomic.Int64
	calm := archive.OpenMemory()
	s, err := run(calm, counting(toyAgent(50), &calls, false))
	if err != nil {
		t.Fatal(err)
	}
	undisturbed, whole, used := stableReport(t, calm, s.Run.ID), calls.Load(), s.Run.Limits[0]
	for _, after := range []int64{0, 1, 40, 233, 260, 400, whole - 1, whole} {
		a := archive.OpenMemory()
		var paid atomic.Int64
		crash := errors.New("power cut")
		func() {
			ctx, cut := context.WithCancelCause(t.Context())
			defer cut(nil)
			o := toyOptions(toyWorkspace(t, 50), a, inProcess(func(ctx context.Context, req agent.Request) agent.Result {
				if paid.Load() >= after {
					cut(crash)
					return agent.Result{Outcome: agent.Cancelled}
				}
				paid.Add(1)
				return toyAgent(50)(ctx, req)
			}), budget)
			o.Seed, o.Concurrency, o.Drain = &seed, 1, ctx
			s, err := Run(ctx, o)
			if err != nil {
				t.Fatalf("after %d: %v", after, err)
			}
			// A killed process leaves its run open and without a finished result.
			s.Run.State, s.Run.Limits = archive.RunRunning, nil
			r := s.Results[0]
			r.Finished = false
			if err := a.PutResult(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			if err := a.PutRun(t.Context(), s.Run); err != nil {
				t.Fatal(err)
			}
		}()
		var again atomic.Int64
		s, err := run(a, counting(toyAgent(50), &again, false))
		if err != nil {
			t.Fatalf("after %d: %v", after, err)
		}
		if s.Run.Resumed != 1 || s.Run.Number != 1 {
			t.Errorf("after %d: run %s was resumed %d times", after, s.Run.ID, s.Run.Resumed)
		}
		if total := paid.Load() + again.Load(); total != whole {
			t.Errorf("after %d: %d evaluations were paid for in all, undisturbed %d", after, total, whole)
		}
		if diff := cmp.Diff(undisturbed, stableReport(t, a, s.Run.ID)); diff != "" {
			t.Errorf("after %d: another report:\n%s", after, diff)
		}
		if l := s.Run.Limits[0]; l.Used != used.Used || l.End != used.End || l.Bound != used.Bound {
			t.Errorf("after %d: %d evaluations used, %s by %s; undisturbed %d, %s by %s", after, l.Used, l.End, l.Bound, used.Used, used.End, used.Bound)
		}
	}
}

func TestABadVariantNeverWinsNorEndsTheNight(t *testing.T) {
	a := archive.OpenMemory()
	good := toyAgent(60)
	s, err := Run(t.Context(), toyOptions(toyWorkspace(t, 60), a, inProcess(func(ctx context.Context, req agent.Request) agent.Result {
		if req.Config.String("planner") == "linear" {
			return agent.Result{Outcome: agent.Execution, Error: "it crashed"}
		}
		return good(ctx, req)
	}), 1500))
	if err != nil || s.Run.State != archive.RunDone || s.Run.Exit != 0 {
		t.Fatalf("%s, exit %d (%s), %v", s.Run.State, s.Run.Exit, s.Run.Reason, err)
	}
	if got := s.Results[0].Search.Recommended.Config.String("planner"); got == "linear" {
		t.Error("a config that crashes on every task is recommended")
	}
	crashed := 0
	for e, err := range a.Evaluations(t.Context(), s.Run.ID, "toy") {
		if err != nil {
			t.Fatal(err)
		}
		if e.Outcome == agent.Execution {
			crashed++
			if !e.Scored || e.Score != 0 {
				t.Errorf("a crash was recorded as %+v", e)
			}
		}
	}
	if crashed == 0 {
		t.Error("no variant crashed: the test shows nothing")
	}
}

// TestAPassingOutageMovesNoScore checks that outages that pass do not change the result
// of a night: every call fails for four seconds, and later for twenty, as with a provider
// that is down.
func TestAPassingOutageMovesNoScore(t *testing.T) {
	night := func(down func(since time.Duration) bool) (story string, calls int64) {
		synctest.Test(t, func(t *testing.T) {
			store := archive.OpenMemory()
			seed, start := int64(5), time.Now()
			var n atomic.Int64
			o := toyOptions(toyWorkspace(t, 40), store, inProcess(func(ctx context.Context, req agent.Request) agent.Result {
				n.Add(1)
				time.Sleep(300 * time.Millisecond)
				if down(time.Since(start)) {
					return agent.Result{Outcome: agent.Infrastructure, Error: "502"}
				}
				return toyAgent(40)(ctx, req)
			}), 400)
			o.Seed = &seed
			o.Sleep = func(ctx context.Context, d time.Duration) error {
				select {
				case <-time.After(d):
					return nil
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
			s, err := Run(t.Context(), o)
			if err != nil || s.Run.Exit != 0 {
				t.Fatalf("exit %d (%s), %v", s.Run.Exit, s.Run.Reason, err)
			}
			r := s.Results[0]
			if r.Infrastructure != 0 {
				t.Errorf("%d evaluations are missing", r.Infrastructure)
			}
			raw, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			story, calls = string(raw), n.Load()
		})
		return story, calls
	}
	calm, planned := night(func(time.Duration) bool { return false })
	shaken, calls := night(func(since time.Duration) bool {
		return since > 2*time.Second && since < 6*time.Second || since > 15*time.Second && since < 35*time.Second
	})
	if diff := cmp.Diff(calm, shaken); diff != "" {
		t.Errorf("an outage changed the result:\n%s", diff)
	}
	if calls <= planned {
		t.Errorf("%d calls with the outage, %d without: it did not happen", calls, planned)
	}
}

func TestALastingOutageEndsTheNight(t *testing.T) {
	a := archive.OpenMemory()
	n := 0
	var mu sync.Mutex
	s, err := Run(t.Context(), toyOptions(toyWorkspace(t, 40), a, inProcess(func(ctx context.Context, req agent.Request) agent.Result {
		mu.Lock()
		n++
		down := n > 100
		mu.Unlock()
		if down {
			return agent.Result{Outcome: agent.Infrastructure}
		}
		return toyAgent(40)(ctx, req)
	}), 400))
	if err != nil {
		t.Fatal(err)
	}
	if s.Run.Exit != ExitInfrastructure || s.Run.State != archive.RunFailed {
		t.Errorf("%s, exit %d", s.Run.State, s.Run.Exit)
	}
	kept := 0
	for e, err := range a.Evaluations(t.Context(), s.Run.ID, "toy") {
		if err != nil {
			t.Fatal(err)
		}
		if e.Scored {
			kept++
		}
	}
	if kept != 100 {
		t.Errorf("%d evaluations were kept of 100 paid for", kept)
	}
	if s.Results[0].Verdict != archive.Undecided {
		t.Errorf("verdict %s", s.Results[0].Verdict)
	}
}

func TestMoneyIsNeverOverspent(t *testing.T) {
	a := archive.OpenMemory()
	o := toyOptions(toyWorkspace(t, 40), a, inProcess(func(ctx context.Context, req agent.Request) agent.Result {
		r := toyAgent(40)(ctx, req)
		r.Usage.CostUSD = 0.01
		return r
	}), 5000)
	o.Budget.USD = 8
	s, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	spent := 0.0
	for e, err := range a.Evaluations(t.Context(), s.Run.ID, "toy") {
		if err != nil {
			t.Fatal(err)
		}
		spent += e.Usage.CostUSD
	}
	if spent > 8.0001 || spent < 6 {
		t.Errorf("%.2f of 8.00 were spent", spent)
	}
	if s.Results[0].Blocks == 0 {
		t.Errorf("money is held back for the confirmation, and no block was complete: %s; %s", s.Results[0].Incomplete, s.Results[0].Reason)
	}
}

func TestNothingCompleteIsExitSix(t *testing.T) {
	a := archive.OpenMemory()
	o := toyOptions(toyWorkspace(t, 40), a, toyAgent(40), 400)
	o.Until = time.Now().Add(-time.Hour)
	s, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if s.Run.Exit != ExitBudget || s.Results[0].Verdict != archive.Undecided {
		t.Errorf("exit %d, verdict %s", s.Run.Exit, s.Results[0].Verdict)
	}
}

func TestSeededAgentsGetRepeatsAndARerun(t *testing.T) {
	a := archive.OpenMemory()
	w := toyWorkspace(t, 40)
	w.Agents[0].UsesSeed = true
	o := toyOptions(w, a, inProcess(func(_ context.Context, req agent.Request) agent.Result {
		answer := "no"
		if rand.New(rand.NewPCG(uint64(req.Seed), 1)).Float64() < toySkill(req.Config) {
			answer = "yes"
		}
		return agent.Result{Answer: &answer, Outcome: agent.OK}
	}), 3000)
	s, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	p, r := s.Plans[0], s.Results[0]
	if p.AA == 0 || r.AA == nil || r.Blocks < 2 || r.Blocks >= p.Repeats {
		t.Errorf("%d blocks of %d, rerun %v", r.Blocks, p.Repeats, r.AA)
	}
	if r.AA != nil && r.AA.Drifted {
		t.Errorf("an agent that did not change is said to have drifted: %+v", r.AA)
	}
	if r.Verdict != archive.Adopt {
		t.Errorf("verdict %s: %s", r.Verdict, r.Reason)
	}
	// The next night makes new repeats of the holdout.
	if _, err := Run(t.Context(), toyOptions(w, a, o.mustOpen(t), 3000)); err != nil {
		t.Fatal(err)
	}
	free := 0
	for e, err := range a.Exposures(t.Context(), "toy") {
		if err != nil {
			t.Fatal(err)
		}
		if e.FirstRepeat < free {
			t.Errorf("repeat %d of the holdout may be used twice", e.FirstRepeat)
		}
		free = e.FirstRepeat + e.Repeats
	}
}

// mustOpen returns the agent that the options open.
func (o Options) mustOpen(t *testing.T) agent.Agent {
	t.Helper()
	opened, err := o.Open(t.Context(), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	return opened.Agent
}
