package night

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
	"evolve/runtime/agent"
)

// idleNights returns nights of an agent on 40 tasks, with six additional switches that have
// no effect.
func idleNights(t *testing.T) *nights {
	t.Helper()
	o := newNights(t, 40)
	a := &o.Agent
	for i := range 6 {
		a.Space.Params = append(a.Space.Params, agent.Param{Name: fmt.Sprintf("idle%d", i), Kind: agent.Bool, Default: false})
	}
	a.Champion = a.Space.Default()
	return o
}

// stageOf lists the evaluations in a stage.
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

// ablated counts the evaluations in a result's ablations.
func ablated(r archive.AgentResult) int {
	n := 0
	for _, a := range r.Ablations {
		n += a.Evaluations
	}
	return n
}

func TestTheWinnerIsMadeSmall(t *testing.T) {
	o := idleNights(t)
	o.Evaluations = 2000
	s, a := o.run(t), o.Archive
	p, r := s.Plan, s.Result
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
		if of < 0 || !strings.HasPrefix(v.Rationale, "undone: ") {
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

// TestAnAblationGoesOnAfterACrash simulates a crash in the middle of the stage. For agents
// without randomness, the result is the same and nothing is paid for twice; for others, the
// ablation continues within the budget.
func TestAnAblationGoesOnAfterACrash(t *testing.T) {
	whole(t)
	for _, chance := range []bool{false, true} {
		seed := int64(11)
		fresh := func() *nights {
			o := idleNights(t)
			o.Evaluations, o.Seed, o.Concurrency = 800, &seed, 1
			if chance {
				// A confirmation by repeats leaves the search a smaller share.
				o.Agent.Deterministic, o.Agent.UsesSeed, o.Evaluations = false, true, 2000
			}
			return o
		}
		undisturbed := fresh()
		calm := undisturbed.Archive
		var calls atomic.Int64
		undisturbed.Answer = counting(toyAgent(40), &calls)
		want := undisturbed.run(t)
		if ablated(want.Result) < 20 {
			t.Fatalf("chance %v: no ablation to interrupt", chance)
		}
		first := stageOf(t, calm, want.Run.ID, bench.StageAblate)
		before := calls.Load() - int64(len(stageOf(t, calm, want.Run.ID, bench.StageConfirm))) - int64(len(first))
		o := fresh()
		a := o.Archive
		ctx, cut := context.WithCancelCause(t.Context())
		var paid atomic.Int64
		o.Drain = ctx
		o.Answer = func(ctx context.Context, req agent.Request) agent.Result {
			if paid.Load() >= before+12 {
				cut(errors.New("power cut"))
				return agent.Result{Outcome: agent.Cancelled}
			}
			paid.Add(1)
			return toyAgent(40)(ctx, req)
		}
		s := o.run(t)
		cut(nil)
		if n := len(stageOf(t, a, s.Run.ID, bench.StageAblate)); n != 12 {
			t.Fatalf("chance %v: the ablation was interrupted after %d evaluations", chance, n)
		}
		o.Drain, o.Answer = t.Context(), counting(toyAgent(40), &paid)
		got := o.run(t)
		if got.Run.Resumed != 1 {
			t.Fatalf("resumed %d times", got.Run.Resumed)
		}
		if n := len(stageOf(t, a, s.Run.ID, bench.StageAblate)); n > got.Plan.Ablate || n != ablated(got.Result) {
			t.Errorf("chance %v: %d evaluations of %d: %+v", chance, n, got.Plan.Ablate, got.Result.Ablations)
		}
		if chance {
			continue
		}
		if d := cmp.Diff(want.Result, got.Result); d != "" {
			t.Errorf("another result: %s", d)
		}
		if paid.Load() != calls.Load() {
			t.Errorf("%d evaluations paid for, undisturbed %d", paid.Load(), calls.Load())
		}
	}
}
