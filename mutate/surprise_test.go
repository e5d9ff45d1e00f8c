package mutate

import (
	"slices"
	"testing"

	"evolve/bench"
	"evolve/runtime/agent"
)

// TestNeedleIsFound checks that the one good config of 125 is recommended: nothing but its
// own results points to it.
func TestNeedleIsFound(t *testing.T) {
	const seeds = 6
	found := 0
	for seed := range int64(seeds) {
		w := newWorld(t, "needle", 900+seed)
		o := w.options(1000)
		o.BaselineShare = 0
		if w.gain(t, o) > 0.25 {
			found++
		}
	}
	if found < 5 {
		t.Errorf("found in %d of %d searches", found, seeds)
	}
}

// TestRaceDoesNotSpendTheBaseline checks that evaluations which the race gives to a config of
// the random baseline are on the account of the search, that the choice of the baseline's
// best does not depend on them, and that a resumed search has the same accounts.
func TestRaceDoesNotSpendTheBaseline(t *testing.T) {
	w := newWorld(t, "needle", 3)
	o := w.options(500)
	o.BaselineShare = 0
	s := newSearch(t, o)
	c := &script{inFlight: 4, score: w.score}
	rec := c.run(t, s)
	sums := map[agent.ConfigID]tally{}
	raced := 0
	for _, ob := range c.told {
		x := sums[ob.Trial.Variant]
		if ob.Trial.Stage == bench.StageBaseline {
			sums[ob.Trial.Variant] = tally{x.asked + 1, x.scored + 1, x.score + ob.Score}
		} else if x.asked > 0 {
			raced++
		}
	}
	if raced == 0 {
		t.Error("no config of the baseline took part in the race")
	}
	again := newSearch(t, o)
	for _, ob := range c.told {
		again.Tell(ob)
	}
	for _, s := range []*search{s, again} {
		total := 0
		for _, a := range s.variants {
			if a.random != sums[a.id] {
				t.Errorf("the baseline's account of %s is %+v, not %+v", a.id.Short(), a.random, sums[a.id])
			}
			total += a.random.asked
		}
		if s.baseline.asked != total || s.baseline.results != total || total < 45 || total > 51 {
			t.Errorf("the baseline has asked for %d and had %d evaluations, its variants %d", s.baseline.asked, s.baseline.results, total)
		}
	}
	if rec.RandomTold != s.baseline.results || again.baseline.best().id != s.baseline.best().id {
		t.Errorf("the baseline's best is %s, in a resumed search %s", s.baseline.best().id.Short(), again.baseline.best().id.Short())
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
