package ablation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/bench"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// rates returns means over seeds: the share of the idle changes that were reverted, and
// the share of the gain that was lost.
func rates(t *testing.T, w *world, idle []string, budget, known, seeds int) (gone, lost float64) {
	t.Helper()
	for seed := range int64(seeds) {
		r, asked := run(t, w, w.options(budget, known, seed))
		if len(asked) > budget || r.Evaluations != len(asked) || !r.Done {
			t.Fatalf("seed %d: %d trials of %d, %d counted", seed, len(asked), budget, r.Evaluations)
		}
		for _, name := range idle {
			if slices.Contains(r.Reverted, name) {
				gone += 1 / float64(seeds*len(idle))
			}
		}
		lost += (w.skill(w.winner) - w.skill(r.Config)) / (w.skill(w.winner) - w.skill(w.champion)) / float64(seeds)
	}
	return gone, lost
}

// TestIdleChangesGoAndOthersStay requires rates slightly below the measured ones, to
// detect a change that makes them much worse.
func TestIdleChangesGoAndOthersStay(t *testing.T) {
	for _, tt := range []struct {
		name       string
		n          int
		weights    map[string]float64
		budget     int
		gone, lost float64
	}{
		{"two of eight matter", 8, map[string]float64{"p1": .2, "p6": .2}, 500, .85, .1},
		{"with little money", 8, map[string]float64{"p1": .2, "p6": .2}, 200, .8, .3},
		{"one of three", 3, map[string]float64{"p1": .35}, 400, .7, .02},
		{"many small ones", 20, map[string]float64{"p1": .08, "p6": .08, "p3": .08, "p11": .08, "p15": .08}, 1000, .8, .55},
		{"none but all", 5, map[string]float64{"p0": .1, "p1": .1, "p2": .1, "p3": .1, "p4": .1}, 1000, 0, .45},
	} {
		w := switches(tt.n, 40, weighted(tt.weights))
		var idle []string
		for i := range tt.n {
			if name := fmt.Sprintf("p%d", i); tt.weights[name] == 0 {
				idle = append(idle, name)
			}
		}
		if len(idle) == 0 {
			idle = []string{"nobody"}
		}
		gone, lost := rates(t, w, idle, tt.budget, 80, 3)
		t.Logf("%s: of idle changes went %.2f, of the gain %.3f", tt.name, gone, lost)
		if gone < tt.gone || lost > tt.lost {
			t.Errorf("%s: of idle changes went %.2f, want %.2f; of the gain %.3f, want at most %.3f", tt.name, gone, tt.gone, lost, tt.lost)
		}
	}
}

// TestWithoutChanceItIsExact checks that for a deterministic agent, a few hundred
// evaluations find exactly the changes that matter.
func TestWithoutChanceItIsExact(t *testing.T) {
	for seed := range int64(10) {
		w := switches(8, 40, weighted(map[string]float64{"p2": .15, "p5": .15}))
		w.certain = true
		r, asked := run(t, w, w.options(1000, 40, seed))
		if want := []string{"p0", "p1", "p3", "p4", "p6", "p7"}; !slices.Equal(r.Reverted, want) {
			t.Errorf("seed %d: %v went back, want %v", seed, r.Reverted, want)
		}
		for _, trial := range asked {
			if trial.Repeat != 0 {
				t.Fatalf("%s was asked for its repeat %d", trial.Task, trial.Repeat)
			}
		}
		for _, e := range r.Effects {
			without := r.Config.Clone()
			without[e.Param] = false
			exact := 0.0
			for j := range w.tasks {
				exact += (w.answer(r.Config, j, 0) - w.answer(without, j, 0)) / float64(len(w.tasks))
			}
			if d := e.Difference - exact; d > 1e-9 || d < -1e-9 || e.Evaluations != len(w.tasks) {
				t.Errorf("%s does %.3f over %d evaluations, exactly %.3f", e.Param, e.Difference, e.Evaluations, exact)
			}
		}
		if len(r.Effects) != 2 {
			t.Errorf("effects %v", r.Effects)
		}
	}
}

func TestChangesThatNeedEachOtherStay(t *testing.T) {
	pair := func(c agent.Config) float64 {
		if on(c, "p1", "p4") {
			return .8
		}
		return .35
	}
	w := switches(6, 40, pair)
	gone, lost := rates(t, w, []string{"p0", "p2", "p3", "p5"}, 500, 80, 5)
	if gone < .9 || lost > .04 {
		t.Errorf("with chance: of idle changes went %.2f, of the gain %.3f", gone, lost)
	}
	w.certain = true
	if gone, lost = rates(t, w, []string{"p0", "p2", "p3", "p5"}, 600, 40, 10); gone < .999 || lost != 0 {
		t.Errorf("without chance: of idle changes went %.2f, of the gain %.3f", gone, lost)
	}
}

// TestOfTwoThatReplaceEachOtherOneStays checks a case in which either of two changes can be
// reverted, but not both.
func TestOfTwoThatReplaceEachOtherOneStays(t *testing.T) {
	w := switches(4, 40, func(c agent.Config) float64 {
		if on(c, "p1") || on(c, "p3") {
			return .7
		}
		return .35
	})
	w.certain = true
	r, _ := run(t, w, w.options(600, 40, 1))
	if len(r.Reverted) != 3 || !on(r.Config, "p1") && !on(r.Config, "p3") {
		t.Errorf("%v went back", r.Reverted)
	}
}

// TestAFalseWinnerIsAlmostWhollyReverted checks that if a winner has no gain, all its
// changes but one are reverted; without the last, it would be identical to the champion.
func TestAFalseWinnerIsAlmostWhollyReverted(t *testing.T) {
	for _, certain := range []bool{false, true} {
		w := switches(6, 40, weighted(nil))
		w.certain = certain
		left := 0
		for seed := range int64(8) {
			r, _ := run(t, w, w.options(400, 40, seed))
			left += 6 - len(r.Reverted)
		}
		if left > 10 {
			t.Errorf("certain %v: %d changes stay of 8 winners that gain nothing", certain, left)
		}
	}
}

// anyWorld draws a world with weights, with or without randomness.
func anyWorld(t *rapid.T) *world {
	weights := map[string]float64{}
	n := rapid.IntRange(1, 9).Draw(t, "changes")
	for i := range n {
		weights[fmt.Sprintf("p%d", i)] = rapid.SampledFrom([]float64{0, 0, .1, .2, -.1}).Draw(t, "weight")
	}
	w := switches(n, rapid.IntRange(1, 25).Draw(t, "tasks"), weighted(weights))
	w.certain = rapid.Bool().Draw(t, "certain")
	return w
}

// TestTheBudgetHoldsAndNothingIsPaidTwice checks that in any world, every trial is new,
// valid and within the budget, and that the result is between champion and winner.
func TestTheBudgetHoldsAndNothingIsPaidTwice(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := anyWorld(rt)
		o := w.options(rapid.IntRange(1, 90).Draw(rt, "budget"), rapid.IntRange(0, 40).Draw(rt, "known"), rapid.Int64Range(0, 99).Draw(rt, "seed"))
		paid := map[string]bool{}
		key := func(tr mutate.Trial) string { return fmt.Sprint(tr.Variant, tr.Task, tr.Repeat) }
		for k := range o.Known {
			paid[key(k.Trial)] = true
		}
		r, asked := run(t, w, o)
		if len(asked) > o.Budget {
			rt.Fatalf("%d trials of %d", len(asked), o.Budget)
		}
		for i, tr := range asked {
			if paid[key(tr)] || tr.N != int64(i) || tr.Stage != bench.StageAblate || tr.Config.ID() != tr.Variant {
				rt.Fatalf("trial %d: %+v", i, tr)
			}
			paid[key(tr)] = true
			if _, problems := w.space.Parse(tr.Config); len(problems) > 0 {
				rt.Fatal(problems)
			}
		}
		for name, v := range r.Config {
			if v != w.winner[name] && v != w.champion[name] {
				rt.Fatalf("%s is %v", name, v)
			}
		}
		if r.Config.Equal(w.champion) || r.Config.ID() != r.Small {
			rt.Fatalf("what is left is %v", r.Config)
		}
	})
}

// TestTheOrderOfTheTellsDoesNotMatter checks that the order in which results are given
// changes neither the trials nor the result, with as many trials in flight as possible.
func TestTheOrderOfTheTellsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := anyWorld(rt)
		o := w.options(rapid.IntRange(1, 70).Draw(rt, "budget"), 20, rapid.Int64Range(0, 99).Draw(rt, "seed"))
		want, inOrder := run(t, w, o)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "order"), 1))
		a, err := New(o)
		if err != nil {
			rt.Fatal(err)
		}
		var flying, asked []mutate.Trial
		land := func() {
			i := rng.IntN(len(flying))
			a.Tell(w.observe(flying[i]))
			flying = slices.Delete(flying, i, i+1)
		}
		for done := false; !done; {
			trial, status := a.Ask()
			switch status {
			case mutate.Ready:
				asked, flying = append(asked, trial), append(flying, trial)
			case mutate.Wait:
				land()
			case mutate.Done:
				done = true
			}
			if len(flying) > 0 && rng.IntN(3) == 0 {
				land()
			}
		}
		if d := cmp.Diff(inOrder, asked); d != "" {
			rt.Fatal(d)
		}
		if d := cmp.Diff(want, a.Result()); d != "" {
			rt.Fatal(d)
		}
	})
}

// TestWhatIsKnownIsNotAskedForAgain checks that trials from an interrupted ablation are
// evidence in the next.
func TestWhatIsKnownIsNotAskedForAgain(t *testing.T) {
	w := switches(6, 30, weighted(map[string]float64{"p1": .3}))
	_, asked := run(t, w, w.options(300, 40, 3))
	for _, after := range []int{0, 17, 150, len(asked)} {
		again := w.options(300-after, 40, 3)
		paid := map[string]bool{}
		for _, trial := range asked[:after] {
			again.Known = with(again.Known, w.observe(trial))
			paid[fmt.Sprint(trial.Variant, trial.Task, trial.Repeat)] = true
		}
		r, rest := run(t, w, again)
		if r.Evaluations > 300-after || len(rest) != r.Evaluations || !on(r.Config, "p1") {
			t.Errorf("after %d: %d evaluations, %d new ones, left %v", after, r.Evaluations, len(rest), r.Config)
		}
		for _, trial := range rest {
			if paid[fmt.Sprint(trial.Variant, trial.Task, trial.Repeat)] {
				t.Fatalf("after %d: %s is asked for again", after, trial.Task)
			}
		}
	}
}

// TestMissingDataIsLeftOut checks that with a third of the evaluations unscored, an
// ablation still ends and finds the changes that matter.
func TestMissingDataIsLeftOut(t *testing.T) {
	w := switches(4, 40, weighted(map[string]float64{"p1": .45}))
	w.certain = true
	a, err := New(w.options(600, 40, 1))
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		trial, status := a.Ask()
		if status != mutate.Ready {
			break
		}
		o := w.observe(trial)
		if n%3 == 0 {
			o = mutate.Observation{Trial: trial}
		}
		a.Tell(o)
	}
	if r := a.Result(); !r.Done || !slices.Equal(r.Reverted, []string{"p0", "p2", "p3"}) {
		t.Errorf("%v went back: %s", r.Reverted, r.Reason)
	}
}

func TestBadOptionsAreRefused(t *testing.T) {
	w := switches(2, 3, weighted(nil))
	for name, change := range map[string]func(*Options){
		"no tasks":          func(o *Options) { o.Tasks = nil },
		"a negative budget": func(o *Options) { o.Budget = -1 },
		"a task twice":      func(o *Options) { o.Tasks = append(o.Tasks, o.Tasks[0]) },
		"a bad winner":      func(o *Options) { o.Winner = agent.Config{"p9": true} },
		"a bad champion":    func(o *Options) { o.Champion = agent.Config{"p0": "yes"} },
		"a bad space":       func(o *Options) { o.Space.Params = []agent.Param{{Name: "x"}} },
	} {
		o := w.options(10, 0, 1)
		change(&o)
		if _, err := New(o); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestWhatWasNotMeasuredHasNoFigure checks that with too few evaluations to compare the
// small config with its neighbors, each remaining change is reported as untried, without an
// effect.
func TestWhatWasNotMeasuredHasNoFigure(t *testing.T) {
	for _, c := range []struct {
		budget  int
		untried bool
		says    string
	}{
		{0, true, ""}, // no evaluations were made, so any reason will do
		{12, true, "the evaluations ran out before "},
		{400, false, "the reduced variant scored "},
	} {
		w := switches(2, 30, weighted(map[string]float64{"p1": .4}))
		o := w.options(c.budget, 80, 2)
		o.ByModel = true
		r, asked := run(t, w, o)
		if !slices.ContainsFunc(r.Effects, func(e Effect) bool { return e.Param == "p1" }) {
			t.Fatalf("budget %d: effects %+v", c.budget, r.Effects)
		}
		e := r.Effects[len(r.Effects)-1]
		if e.Untried != c.untried || !strings.HasPrefix(r.Reason, c.says) || len(asked) < c.budget-1 {
			t.Errorf("budget %d: %+v, %d asked, %q", c.budget, e, len(asked), r.Reason)
		}
		if r.Short != (c.budget < 400) || c.budget == 0 && strings.Contains(r.Reason, "enough") {
			t.Errorf("budget %d: too small %v, %q", c.budget, r.Short, r.Reason)
		}
		if none := (Effect{Param: e.Param, Shown: e.Shown, Untried: true}); c.untried && e != none {
			t.Errorf("budget %d: a figure for what was not tried: %+v", c.budget, e)
		}
		if !c.untried && (e.Lo <= 0 || e.Lo > .4 || e.Hi < .4 || e.Evaluations < 40) {
			t.Errorf("budget %d: %+v, truly +.4", c.budget, e)
		}
	}
}
