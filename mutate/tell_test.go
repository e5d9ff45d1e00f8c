package mutate

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"evolve/bench"
	"evolve/runtime/agent"
)

func smallOptions(budget int) Options {
	space := mixedSpace(8)
	return Options{Space: space, Champion: space.Default(), Tasks: makeTasks(12), Budget: budget, Seed: 2}
}

func TestResumeSpendsTheRest(t *testing.T) {
	for _, cut := range []int{0, 7, 100, 160} {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			whole := &script{inFlight: 8, score: coin}
			whole.run(t, newSearch(t, smallOptions(160)))
			s := newSearch(t, smallOptions(160))
			paid := map[trialKey]bool{}
			key := func(tr Trial) trialKey {
				return trialKey{s.byID[tr.Variant].index, s.taskIndex[tr.Task], tr.Repeat}
			}
			for _, o := range whole.told[:cut] {
				s.Tell(o)
				paid[key(o.Trial)] = true
			}
			rest := &script{inFlight: 8, score: coin}
			rec := rest.run(t, s)
			if len(rest.trials) != 160-cut {
				t.Errorf("%d evaluations after %d of 160", len(rest.trials), cut)
			}
			base := 0
			for _, tr := range rest.trials {
				if paid[key(tr)] {
					t.Fatalf("paid again: %s on %s, repeat %d", tr.Variant.Short(), tr.Task, tr.Repeat)
				}
			}
			for _, o := range append(whole.told[:cut:cut], rest.told...) {
				if o.Trial.Stage == bench.StageBaseline {
					base++
				}
			}
			if base < 14 || base > 18 {
				t.Errorf("%d baseline evaluations in all, want 16", base)
			}
			sum := 0
			for _, a := range s.variants {
				sum += a.scored
			}
			if sum != 160 || rec.Variants != len(s.variants) {
				t.Errorf("%d results known, %d variants of %d", sum, rec.Variants, len(s.variants))
			}
		})
	}
}

func TestToldVariantClimbsOn(t *testing.T) {
	s := newSearch(t, smallOptions(400))
	config := s.space.Default()
	config["p0"] = 0.9
	for i := range 30 {
		s.Tell(Observation{Scored: true, Score: 1, Trial: Trial{
			Variant: config.ID(), Config: config, Parents: []agent.ConfigID{s.champion.id, "gone"}, Operator: "perturb",
			Generation: 4, Rationale: "p0", Task: s.tasks[i%12].ID, Repeat: i / 12, Stage: bench.StageSearch,
		}})
	}
	a := s.byID[config.ID()]
	if a.generation != 4 || len(a.parents) != 2 || a.scored != 30 || s.spent != 30 {
		t.Fatalf("told variant: %+v, spent %d", a, s.spent)
	}
	c := &script{score: func(tr Trial, rng *rand.Rand) (float64, bool) {
		if tr.Variant == config.ID() {
			return 1, true
		}
		return float64(rng.IntN(3) / 2), true
	}}
	rec := c.run(t, s)
	if rec.Best.Variant != config.ID() {
		t.Errorf("recommends %s, not the variant that never failed", rec.Best.Variant.Short())
	}
	if rec.Best.Evaluations <= 30 {
		t.Error("the told variant got no further evaluation")
	}
}

func TestStrangeTells(t *testing.T) {
	s := newSearch(t, smallOptions(50))
	good := s.space.Default()
	for name, tr := range map[string]Trial{
		"unknown task":            {Variant: good.ID(), Config: good, Task: "gone", Stage: bench.StageSearch},
		"config of another space": {Variant: "x", Config: agent.Config{"other": 1.0}, Task: "t0", Stage: bench.StageSearch},
		"no config":               {Variant: "y", Config: agent.Config{"p0": "high"}, Task: "t0", Stage: bench.StageSearch},
	} {
		s.Tell(Observation{Trial: tr, Scored: true, Score: 1})
		if s.spent != 0 || len(s.variants) != 1 || s.results != 0 {
			t.Errorf("%s: was taken in", name)
		}
	}
	// If the variant name is wrong, the config determines the variant, and each result
	// counts only once.
	for i := range 3 {
		s.Tell(Observation{Scored: true, Score: 1, Trial: Trial{Variant: "old-name", Config: good, Task: "t0", Repeat: i, Stage: bench.StageSearch}})
	}
	if len(s.variants) != 1 || s.champion.scored != 3 || s.champion.generation != 0 {
		t.Errorf("%d variants, champion with %d results", len(s.variants), s.champion.scored)
	}
	// A warm start adds results that do not count as spent.
	s.Tell(Observation{Scored: true, Score: 1, Trial: Trial{Variant: good.ID(), Config: good, Task: "t1", Stage: "confirm"}})
	if s.spent != 3 || s.champion.scored != 4 {
		t.Errorf("spent %d, champion with %d results", s.spent, s.champion.scored)
	}
	for _, repeat := range []int{-1, -1 << 62, 1 << 62, 65535, 65536} {
		s.Tell(Observation{Scored: true, Score: 1, Trial: Trial{Variant: good.ID(), Config: good, Task: "t2", Repeat: repeat, Stage: bench.StageSearch}})
	}
	c := &script{score: coin}
	c.run(t, s)
	if len(c.trials) != 50-4 { // of five unusual repeats only 65535 is valid
		t.Errorf("%d trials for the rest", len(c.trials))
	}
}

func TestMissingResultsStallNothing(t *testing.T) {
	for name, score := range map[string]func(Trial, *rand.Rand) (float64, bool){
		"all missing":        func(Trial, *rand.Rand) (float64, bool) { return 0, false },
		"champion's missing": func(tr Trial, _ *rand.Rand) (float64, bool) { return 1, tr.Operator != "champion" },
		"most missing":       func(_ Trial, rng *rand.Rand) (float64, bool) { return 1, rng.IntN(20) == 0 },
	} {
		t.Run(name, func(t *testing.T) {
			for _, inFlight := range []int{1, 64} {
				c := &script{inFlight: inFlight, score: score}
				rec := c.run(t, newSearch(t, smallOptions(150)))
				if len(c.trials) != 150 || rec.Variants < 15 {
					t.Errorf("%d trials, %d variants", len(c.trials), rec.Variants)
				}
				if rec.Champion.Evaluations == 0 && rec.Best.Variant != rec.Champion.Variant {
					t.Error("recommends a variant over a champion of which nothing is known")
				}
			}
		})
	}
}

func TestAsyncManyInFlight(t *testing.T) {
	for _, inFlight := range []int{1, 64, 256} {
		c := &script{inFlight: inFlight, score: func(tr Trial, rng *rand.Rand) (float64, bool) {
			return float64(int(rng.Float64() + 0.2 + 0.6*tr.Config.Float("p0", 0))), true
		}}
		o := smallOptions(800)
		o.Champion["p0"] = 0.1
		rec := c.run(t, newSearch(t, o))
		if p := rec.Best.Config.Float("p0", 0); p < 0.7 {
			t.Errorf("%d in flight: recommends p0 = %v, where 1 is best", inFlight, p)
		}
		longest, at := 0, map[agent.ConfigID]int{}
		for _, tr := range c.trials {
			at[tr.Variant]++
			longest = max(longest, at[tr.Variant])
		}
		if longest > 400 {
			t.Errorf("%d in flight: one variant got %d of 800", inFlight, longest)
		}
	}
}

// history is a View of previously tried configs.
type history map[agent.ConfigID]bool

func (h history) Tried(id agent.ConfigID) bool { return h[id] }

func TestTriedConfigsAreMostlyLeftAlone(t *testing.T) {
	space := agent.Space{Params: []agent.Param{{Name: "n", Kind: agent.Int, Min: 1, Max: 400, Default: int64(1)}}}
	tried := history{}
	for n := int64(1); n <= 400; n += 2 {
		tried[agent.Config{"n": n}.ID()] = true
	}
	odd := func(view View) (share float64) {
		c := &script{score: coin}
		c.run(t, newSearch(t, Options{Space: space, Champion: space.Default(), Tasks: makeTasks(40), Budget: 600, View: view, BaselineShare: -1}))
		variants := map[agent.ConfigID]bool{}
		n := 0.0
		for _, tr := range c.trials {
			if !variants[tr.Variant] && tr.Config.Int("n", 0)%2 == 1 {
				n++
			}
			variants[tr.Variant] = true
		}
		return n / float64(len(variants))
	}
	if with, without := odd(tried), odd(nil); with > 0.4 || without < 0.35 {
		t.Errorf("tried before: %.2f of the variants with the view, %.2f without", with, without)
	}
}

// TestToldTwiceCountsOnce checks that a repeated result counts neither as spent nor as
// evidence.
func TestToldTwiceCountsOnce(t *testing.T) {
	space := mixedSpace(6)
	made, err := New(Options{Space: space, Champion: space.Default(), Tasks: makeTasks(80), Budget: 60, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	asks := 0
	for {
		tr, status := made.Ask()
		if status != Ready {
			break
		}
		asks++
		o := Observation{Trial: tr, Scored: true, Score: 1}
		made.Tell(o)
		made.Tell(o)
	}
	if s := made.(*search); asks != 60 || s.results != 60 {
		t.Errorf("%d asks of 60, %d observations", asks, s.results)
	}
}
