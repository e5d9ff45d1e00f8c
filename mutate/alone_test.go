package mutate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"evolve/runtime/agent"
)

// TestNeedleIsFound checks that the one good config among 125 is recommended, although only
// its own results point to it.
func TestNeedleIsFound(t *testing.T) {
	const seeds = 8
	found := 0
	for seed := range int64(seeds) {
		w := newWorld(t, "needle", 900+seed)
		o := w.options(1000)
		o.BaselineShare = 0
		if w.gain(t, o) > 0.25 {
			found++
		}
	}
	if found < 6 {
		t.Errorf("found in %d of %d searches", found, seeds)
	}
}

// TestSmallSpace checks which spaces count as small for a budget.
func TestSmallSpace(t *testing.T) {
	choice := agent.Param{Name: "a", Kind: agent.Choice, Values: []any{"x", "y", "z"}, Default: "x"}
	flag := agent.Param{Name: "b", Kind: agent.Bool, Default: false}
	number := agent.Param{Name: "c", Kind: agent.Float, Max: 1, Default: 0.0}
	for _, c := range []struct {
		params []agent.Param
		budget int
		want   bool
	}{
		{[]agent.Param{choice, flag}, 12, true},
		{[]agent.Param{choice, flag}, 11, false},
		{[]agent.Param{choice, flag, number}, 1000, false},
	} {
		space := agent.Space{Params: c.params}
		s := newSearch(t, Options{Space: space, Champion: space.Default(), Tasks: makeTasks(5), Budget: c.budget})
		if s.small() != c.want {
			t.Errorf("%d parameters and %d evaluations: small is %v", len(c.params), c.budget, s.small())
		}
	}
}

// TestFinalRaceIsBetweenThree checks that the final race is between the champion and the
// two best variants at the time.
func TestFinalRaceIsBetweenThree(t *testing.T) {
	w := newWorld(t, "noisy", 7)
	o := w.options(600)
	s := newSearch(t, o)
	c := &script{inFlight: 1, score: func(tr Trial, _ *rand.Rand) (float64, bool) {
		// The current evaluation is already counted as spent, so the first evaluation
		// that is checked may belong to the time before the final race.
		if float64(s.spent-1) >= s.plan.search {
			place := slices.IndexFunc(s.posterior.leaders, func(a *variantStats) bool { return a.id == tr.Variant })
			if tr.Variant != s.champion.id && (place < 0 || place >= rivalsInFinal) {
				t.Errorf("evaluation %d of the final race is of leader %d", tr.N, place)
			}
		}
		return w.score(tr, nil)
	}}
	c.run(t, s)
	if s.spent != o.Budget {
		t.Errorf("%d evaluations were spent", s.spent)
	}
}

// TestBaselineHasAFinalist checks that the best config of the random baseline is a finalist.
func TestBaselineHasAFinalist(t *testing.T) {
	for seed := range int64(4) {
		w := newWorld(t, "noisy", 40+seed)
		o := w.options(300)
		o.BaselineShare = 0
		s := newSearch(t, o)
		rec := (&script{inFlight: 4, score: w.score}).run(t, s)
		if !slices.ContainsFunc(rec.Finalists, func(e Estimate) bool { return e.Variant == rec.Random.Variant }) {
			t.Errorf("seed %d: the baseline's best is no finalist", seed)
		}
		if len(rec.Finalists) > 3 {
			t.Errorf("%d finalists", len(rec.Finalists))
		}
	}
}
