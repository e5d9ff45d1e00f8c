package night

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/metrics"
	"evolve/mutate"
	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

// recalled returns what the next run would remember, or what the open run would remember
// if it were resumed.
func recalled(t *testing.T, o *nights) []mutate.Remembered {
	t.Helper()
	n := &night{Spec: o.plan(t), sample: o.Agent.Sample()}
	out, err := n.history(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestOperatorsLiveOn checks that a night begins with what the operators had earned at the
// end of the previous night, or with half of it if the agent has changed since, and that a
// resumed night begins as it first did.
func TestOperatorsLiveOn(t *testing.T) {
	o := newNights(t, 40)
	o.Evaluations = 300
	earned := func() operator.State {
		t.Helper()
		n := &night{Spec: o.plan(t), sample: o.Agent.Sample()}
		s, err := n.operators(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := earned(); len(s.Arms) > 0 {
		t.Fatalf("the first night has %v", s)
	}
	first := o.run(t).Result.Search.Operators
	if first == nil || len(first.Arms) == 0 {
		t.Fatal("the first night recorded nothing")
	}
	s := earned()
	for name, a := range first.Arms {
		if s.Arms[name] != operator.Arm(a) {
			t.Errorf("%s had %v, the next night has %v", name, a, s.Arms[name])
		}
	}
	children := func(arms map[string]archive.OperatorArm) (n float64) {
		for _, a := range arms {
			n += a.Children
		}
		return n
	}
	if second := o.run(t).Result.Search.Operators; children(second.Arms) <= children(first.Arms) {
		t.Errorf("%.1f children after the second night, %.1f after the first", children(second.Arms), children(first.Arms))
	} else {
		first = second
	}
	o.Agent.Hash = "changed"
	for name, a := range first.Arms {
		if got := earned().Arms[name].Children; math.Abs(got-a.Children/2) > 1e-9 {
			t.Errorf("%s had %v children, a changed agent has %v", name, a.Children, got)
		}
	}
}

func TestTheNextNightRemembers(t *testing.T) {
	o := newNights(t, 40)
	store := diskArchive(t)
	o.Archive, o.Evaluations = store, 300
	if got := recalled(t, o); len(got) != 0 {
		t.Fatalf("an empty archive is remembered as %d evaluations", len(got))
	}
	s := o.run(t)
	search := map[string]bool{}
	for _, task := range o.suite().Side(bench.Search) {
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
		change func(*nights)
		trust  float64
	}{
		{"another suite", func(o *nights) { o.suite().Hash = "edited" }, .5},
		{"another agent", func(o *nights) { o.Agent.Hash = "edited" }, .5},
		{"another binary", func(o *nights) { o.Binary = "newer" }, .7},
		{"other prices", func(o *nights) { o.Settings.Prices = "others" }, .9},
		{"suite and binary", func(o *nights) { o.suite().Hash, o.Binary = "edited", "newer" }, .35},
	} {
		o := newNights(t, 40)
		o.Archive, o.Evaluations = store, 300
		tt.change(o)
		later := recalled(t, o)
		if changed := tt.name == "another agent"; later[0].Changed != changed {
			t.Errorf("%s: the agent counts as changed: %v", tt.name, !changed)
		}
		if len(later) != len(got) || math.Abs(later[0].Trust-tt.trust) > 1e-9 {
			t.Errorf("%s: %d evaluations, the first with a trust of %v, want %v", tt.name, len(later), later[0].Trust, tt.trust)
		}
	}
	o.Agent.Space.Params = o.Agent.Space.Params[1:] // the tried configs are no longer in the space
	o.Agent.Champion = o.Agent.Space.Default()
	if later := recalled(t, o); len(later) != 0 {
		t.Errorf("%d evaluations of configs are remembered that are none of the space", len(later))
	}
}

// TestATaskMovedToTheHoldoutIsForgotten checks that the task's evaluations as a search task
// are not remembered.
func TestATaskMovedToTheHoldoutIsForgotten(t *testing.T) {
	o := newNights(t, 40)
	o.Evaluations = 300
	o.run(t)
	moved := o.suite().Side(bench.Search)[0]
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

// TestScoresOfAnotherFormAreForgotten checks that scores from an older evolve, which scored
// the same values differently, are forgotten.
func TestScoresOfAnotherFormAreForgotten(t *testing.T) {
	o := newNights(t, 40)
	o.Evaluations, o.Agent.Relative = 300, true
	o.Agent.Metric = &metrics.Kind{Name: "cost", Better: metrics.Lower, Size: 1, Form: metrics.Form - 1}
	o.run(t)
	if len(recalled(t, o)) == 0 {
		t.Fatal("nothing is remembered: the test shows nothing")
	}
	o.Agent.Metric = &metrics.Kind{Name: "cost", Better: metrics.Lower, Size: 1, Form: metrics.Form}
	if n := len(recalled(t, o)); n != 0 {
		t.Errorf("%d evaluations are remembered", n)
	}
}

// TestOlderNightsCountLess checks that the second night back counts for nine tenths, and
// that if both nights have the same evaluation, because an agent without randomness
// repeats its answers, that evaluation counts once.
func TestOlderNightsCountLess(t *testing.T) {
	o := newNights(t, 40)
	o.Evaluations = 300
	for range 2 {
		o.run(t)
	}
	type place struct {
		variant agent.ConfigID
		task    string
	}
	trusts := map[float64]int{}
	nights := map[float64]int{}
	seen := map[place]bool{}
	last := 1.
	for _, m := range recalled(t, o) {
		if m.Trust > last {
			t.Fatal("an older night comes before a later one")
		}
		last = m.Trust
		trusts[m.Trust]++
		if night, ok := nights[m.Trust]; ok && night != m.Night {
			t.Fatalf("evaluations of one night belong to nights %d and %d", night, m.Night)
		}
		nights[m.Trust] = m.Night
		if at := (place{m.Variant, m.Task}); seen[at] {
			t.Fatalf("%v counts twice", at)
		} else {
			seen[at] = true
		}
	}
	if trusts[1] == 0 || trusts[trustOlderNight] == 0 || len(trusts) != 2 {
		t.Errorf("evaluations by trust: %v", trusts)
	}
	if nights[1] == nights[trustOlderNight] {
		t.Error("two nights are one")
	}
}

func TestAResumedRunRemembersWhatItDidWhenItBegan(t *testing.T) {
	o := newNights(t, 40)
	o.Evaluations = 300
	o.run(t)
	before := recalled(t, o)
	ctx, cut := context.WithCancelCause(t.Context())
	var paid atomic.Int64
	broken := *o
	broken.Answer = func(ctx context.Context, req agent.Request) agent.Result {
		if paid.Add(1) > 60 {
			cut(errors.New("power cut"))
			return agent.Result{Outcome: agent.Cancelled}
		}
		return toyAgent(40)(ctx, req)
	}
	broken.Drain = ctx
	broken.run(t)
	if d := cmp.Diff(before, recalled(t, o)); d != "" {
		t.Error(d)
	}
	// A new run beside the open one does see the new evaluations.
	o.Fresh = true
	if after := recalled(t, o); len(after) <= len(before) {
		t.Errorf("%d evaluations are remembered, before the second run %d: the test shows nothing", len(after), len(before))
	}
}
