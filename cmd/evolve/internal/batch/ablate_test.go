package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
)

// idleWorkspace is toyWorkspace with 40 tasks and six more switches without effect.
func idleWorkspace(t *testing.T) *workspace.Workspace {
	t.Helper()
	w := toyWorkspace(t, 40)
	a := &w.Agents[0]
	for i := range 6 {
		a.Space.Params = append(a.Space.Params, agent.Param{Name: fmt.Sprintf("idle%d", i), Kind: agent.Bool, Default: false})
	}
	a.Champion = a.Space.Default()
	return w
}

// stageOf lists the evaluations of a stage.
func stageOf(t *testing.T, a *archive.Archive, run string, stage bench.Stage) []bench.Evaluation {
	t.Helper()
	var out []bench.Evaluation
	for e, err := range a.Evaluations(t.Context(), run, "toy") {
		if err != nil {
			t.Fatal(err)
		}
		if e.Stage == stage {
			out = append(out, e)
		}
	}
	return out
}

// ablated counts the evaluations of a result's ablations.
func ablated(r archive.AgentResult) int {
	n := 0
	for _, a := range r.Ablations {
		n += a.Evaluations
	}
	return n
}

func TestTheWinnerIsMadeSmall(t *testing.T) {
	a := archive.OpenMemory()
	s, err := Run(t.Context(), toyOptions(idleWorkspace(t), a, toyAgent(40), 2000))
	if err != nil {
		t.Fatal(err)
	}
	p, r := s.Plans[0], s.Results[0]
	if len(r.Ablations) == 0 || p.Ablate == 0 {
		t.Fatalf("no ablation; planned %d evaluations, verdict %s (%s)", p.Ablate, r.Verdict, r.Reason)
	}
	first := r.Ablations[0]
	winner, err := a.Variant(t.Context(), "toy", first.Winner)
	if err != nil {
		t.Fatal(err)
	}
	small, err := a.Variant(t.Context(), "toy", first.Small)
	if err != nil {
		t.Fatal(err)
	}
	idle := 0
	for i := range 6 {
		name := fmt.Sprintf("idle%d", i)
		if !winner.Config.Bool(name, false) {
			continue
		}
		idle++
		if small.Config.Bool(name, false) || !slices.Contains(first.Reverted, name) {
			t.Errorf("%s stays: %s", name, first.Reason)
		}
	}
	if idle == 0 {
		t.Fatal("the winner has changed nothing idle: the test shows nothing")
	}
	made := 0
	for v, err := range a.Variants(t.Context(), "toy") {
		if err != nil {
			t.Fatal(err)
		}
		if v.Operator != "ablation" {
			continue
		}
		made++
		of := slices.IndexFunc(r.Ablations, func(a archive.Ablation) bool { return slices.Equal(v.Parents, []agent.ConfigID{a.Winner}) })
		if of < 0 || !strings.HasPrefix(v.Rationale, "set back: ") {
			t.Errorf("a smaller config is recorded as %+v", v)
		}
	}
	if made == 0 {
		t.Error("no smaller config is recorded")
	}
	if was, is := toySkill(winner.Config), toySkill(small.Config); is < was-.05 {
		t.Errorf("the skill of the winner is %.3f, of what is left %.3f", was, is)
	}
	for _, f := range r.Finalist {
		if !slices.ContainsFunc(r.Ablations, func(a archive.Ablation) bool { return a.Small == f.Variant }) {
			t.Errorf("%s entered and was not made small", f.Variant)
		}
	}
	if len(r.Finalist) == 0 || r.Verdict != archive.Adopt {
		t.Errorf("verdict %s on %d finalists", r.Verdict, len(r.Finalist))
	}
	spent := stageOf(t, a, s.Run.ID, bench.StageAblate)
	if len(spent) != ablated(r) || len(spent) > p.Ablate {
		t.Errorf("%d evaluations recorded, %d reported, %d planned", len(spent), ablated(r), p.Ablate)
	}
	for _, e := range spent {
		if e.Split != bench.Search {
			t.Fatalf("task %s of the %s side was used", e.Task, e.Split)
		}
	}
	if len(first.Effects) == 0 {
		t.Error("no parameter's own effect is told")
	}
}

// TestAnAblationGoesOnAfterACrash simulates a crash in the middle of the stage: for
// agents without chance the result is the same and nothing is paid twice; for others it
// continues within the budget.
func TestAnAblationGoesOnAfterACrash(t *testing.T) {
	whole(t)
	for _, chance := range []bool{false, true} {
		w := idleWorkspace(t)
		evaluations := 800
		if chance {
			// A confirmation by repeats leaves the search a smaller share.
			w.Agents[0].Deterministic, w.Agents[0].UsesSeed, evaluations = false, true, 2000
		}
		seed := int64(11)
		night := func(a *archive.Archive, run agent.Agent, ctx context.Context) (Summary, error) {
			o := toyOptions(w, a, run, evaluations)
			o.Seed, o.Concurrency, o.Drain = &seed, 1, ctx
			return Run(ctx, o)
		}
		calm := archive.OpenMemory()
		var calls atomic.Int64
		want, err := night(calm, counting(toyAgent(40), &calls, false), t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if ablated(want.Results[0]) < 20 {
			t.Fatalf("chance %v: no ablation to interrupt", chance)
		}
		first := stageOf(t, calm, want.Run.ID, bench.StageAblate)
		before := calls.Load() - int64(len(stageOf(t, calm, want.Run.ID, bench.StageConfirm))) - int64(len(first))
		a := archive.OpenMemory()
		ctx, cut := context.WithCancelCause(t.Context())
		var paid atomic.Int64
		s, err := night(a, inProcess(func(ctx context.Context, req agent.Request) agent.Result {
			if paid.Load() >= before+12 {
				cut(errors.New("power cut"))
				return agent.Result{Outcome: agent.Cancelled}
			}
			paid.Add(1)
			return toyAgent(40)(ctx, req)
		}), ctx)
		cut(nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(stageOf(t, a, s.Run.ID, bench.StageAblate)); n != 12 {
			t.Fatalf("chance %v: the ablation was interrupted after %d evaluations", chance, n)
		}
		s.Run.State = archive.RunRunning
		if err := a.PutRun(t.Context(), s.Run); err != nil {
			t.Fatal(err)
		}
		got, err := night(a, counting(toyAgent(40), &paid, false), t.Context())
		if err != nil || got.Run.Resumed != 1 {
			t.Fatalf("resumed %d times, %v", got.Run.Resumed, err)
		}
		if n := len(stageOf(t, a, s.Run.ID, bench.StageAblate)); n > got.Plans[0].Ablate || n != ablated(got.Results[0]) {
			t.Errorf("chance %v: %d evaluations of %d: %+v", chance, n, got.Plans[0].Ablate, got.Results[0].Ablations)
		}
		if chance {
			continue
		}
		if d := cmp.Diff(want.Results[0], got.Results[0]); d != "" {
			t.Errorf("another result: %s", d)
		}
		if paid.Load() != calls.Load() {
			t.Errorf("%d evaluations paid for, undisturbed %d", paid.Load(), calls.Load())
		}
	}
}
