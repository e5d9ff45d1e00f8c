package batch

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// recalled returns what the next run would remember, or the open one if it is resumed.
func recalled(t *testing.T, o Options) []mutate.Remembered {
	t.Helper()
	r, err := prepare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	n := &night{runner: r, agent: r.agents[0], plan: &r.plans[0], sides: suitesOf(o.Workspace, r.agents[0])}
	out, err := n.history(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTheNextNightRemembers(t *testing.T) {
	store := diskArchive(t)
	w := toyWorkspace(t, 40)
	o := toyOptions(w, store, toyAgent(40), 300)
	if got := recalled(t, o); len(got) != 0 {
		t.Fatalf("an empty archive is remembered as %d evaluations", len(got))
	}
	s, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	search := map[string]bool{}
	for _, task := range w.Suites["toys"].Side(bench.Search) {
		search[task.ID] = true
	}
	want := map[bench.Key]float64{}
	for e, err := range store.Evaluations(t.Context(), s.Run.ID, "toy") {
		if err != nil {
			t.Fatal(err)
		}
		if e.Split == bench.Search && e.Scored && e.Stage != bench.StageAA {
			want[e.Key] = e.Score
		}
	}
	got := recalled(t, o)
	if len(got) != len(want) || len(got) < 100 {
		t.Errorf("%d evaluations are remembered, %d were made", len(got), len(want))
	}
	for _, m := range got {
		if m.Trust != 1 || !search[m.Task] || m.Config.ID() != m.Variant {
			t.Fatalf("remembered: %+v", m)
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*workspace.Workspace, *Options)
		trust  float64
	}{
		{"another suite", func(w *workspace.Workspace, _ *Options) { w.Suites["toys"].Hash = "edited" }, .5},
		{"another agent", func(w *workspace.Workspace, _ *Options) { w.Agents[0].Hash = "edited" }, .5},
		{"another binary", func(_ *workspace.Workspace, o *Options) { o.Binary = "newer" }, .7},
		{"other prices", func(w *workspace.Workspace, _ *Options) {
			w.Settings.Prices = map[string]workspace.Price{"m": {Input: 1}}
		}, .9},
		{"suite and binary", func(w *workspace.Workspace, o *Options) { w.Suites["toys"].Hash, o.Binary = "edited", "newer" }, .35},
	} {
		w := toyWorkspace(t, 40)
		o := toyOptions(w, store, toyAgent(40), 300)
		tt.change(w, &o)
		later := recalled(t, o)
		if len(later) != len(got) || math.Abs(later[0].Trust-tt.trust) > 1e-9 {
			t.Errorf("%s: %d evaluations, the first with a trust of %v, want %v", tt.name, len(later), later[0].Trust, tt.trust)
		}
	}
	w.Agents[0].Space.Params = w.Agents[0].Space.Params[1:] // the tried configs are not in the space any more
	w.Agents[0].Champion = w.Agents[0].Space.Default()
	if later := recalled(t, o); len(later) != 0 {
		t.Errorf("%d evaluations of configs are remembered that are none of the space", len(later))
	}
}

// TestATaskMovedToTheHoldoutIsForgotten checks that its evaluations as a search task are
// not remembered.
func TestATaskMovedToTheHoldoutIsForgotten(t *testing.T) {
	store := archive.OpenMemory()
	w := toyWorkspace(t, 40)
	o := toyOptions(w, store, toyAgent(40), 300)
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	moved := w.Suites["toys"].Side(bench.Search)[0]
	known := func() (n int) {
		for _, m := range recalled(t, o) {
			if m.Task == moved.ID {
				n++
			}
		}
		return n
	}
	if known() == 0 {
		t.Fatal("the task was never tried: the test shows nothing")
	}
	moved.Split = bench.Holdout
	if n := known(); n != 0 {
		t.Errorf("%d of its evaluations are remembered", n)
	}
}

// TestOlderNightsCountLess checks that the second night back counts nine tenths, and that
// an evaluation that both nights have, as an agent without chance repeats it, counts
// once.
func TestOlderNightsCountLess(t *testing.T) {
	store := archive.OpenMemory()
	w := toyWorkspace(t, 40)
	o := toyOptions(w, store, toyAgent(40), 300)
	for range 2 {
		if _, err := Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	type place struct {
		variant agent.ConfigID
		task    string
	}
	trusts := map[float64]int{}
	seen := map[place]bool{}
	last := 1.
	for _, m := range recalled(t, o) {
		if m.Trust > last {
			t.Fatal("an older night comes before a later one")
		}
		last = m.Trust
		trusts[m.Trust]++
		if at := (place{m.Variant, m.Task}); seen[at] {
			t.Fatalf("%v counts twice", at)
		} else {
			seen[at] = true
		}
	}
	if trusts[1] == 0 || trusts[trustOlderNight] == 0 || len(trusts) != 2 {
		t.Errorf("evaluations by trust: %v", trusts)
	}
}

func TestAResumedRunRemembersWhatItDidWhenItBegan(t *testing.T) {
	store := archive.OpenMemory()
	o := toyOptions(toyWorkspace(t, 40), store, toyAgent(40), 300)
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	before := recalled(t, o)
	ctx, cut := context.WithCancelCause(t.Context())
	var paid atomic.Int64
	broken := o
	broken.Open = toyOptions(o.Workspace, store, inProcess(func(ctx context.Context, req agent.Request) agent.Result {
		if paid.Add(1) > 60 {
			cut(errors.New("power cut"))
			return agent.Result{Outcome: agent.Cancelled}
		}
		return toyAgent(40)(ctx, req)
	}), 300).Open
	broken.Drain = ctx
	s, err := Run(ctx, broken)
	if err != nil {
		t.Fatal(err)
	}
	s.Run.State = archive.RunRunning
	if err := store.PutRun(t.Context(), s.Run); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, recalled(t, o)); d != "" {
		t.Error(d)
	}
	// A run beside it does see the new evaluations.
	o.Resume = ResumeNever
	if after := recalled(t, o); len(after) <= len(before) {
		t.Errorf("%d evaluations are remembered, before the second run %d: the test shows nothing", len(after), len(before))
	}
}
