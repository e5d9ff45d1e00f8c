package mutate

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestResizeKeepsTheContract resizes a search at random moments. The search never asks for
// more than the largest budget so far allows, uses the last budget exactly unless it had
// already spent more, and never asks for the same trial twice.
func TestResizeKeepsTheContract(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tasks := rapid.IntRange(1, 12).Draw(rt, "tasks")
		space := mixedSpace(rapid.IntRange(1, 6).Draw(rt, "parameters"))
		budget := rapid.IntRange(1, 400).Draw(rt, "budget")
		s := newSearch(t, Options{Space: space, Champion: space.Default(), Tasks: makeTasks(tasks), Budget: budget, Seed: 3})
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "answers"), 1))
		seen := map[trialKey]bool{}
		asked, resizes := 0, rapid.IntRange(0, 6).Draw(rt, "resizes")
		var flying []Trial
		for {
			trial, status := s.Ask()
			if status == Ready {
				if asked++; asked > budget {
					rt.Fatalf("asked for %d of %d", asked, budget)
				}
				k := trialKey{s.byID[trial.Variant].index, s.taskIndex[trial.Task], trial.Repeat}
				if seen[k] {
					rt.Fatalf("%+v twice", trial)
				}
				seen[k] = true
				flying = append(flying, trial)
			}
			if status == Done && asked < budget && !s.exhausted {
				rt.Fatalf("done after %d of %d", asked, budget)
			}
			if len(flying) == 0 && status == Done && resizes == 0 {
				break
			}
			if len(flying) > 5 || status == Done && len(flying) > 0 {
				i := rng.IntN(len(flying))
				s.Tell(Observation{Trial: flying[i], Scored: true, Score: float64(rng.IntN(2))})
				flying = append(flying[:i], flying[i+1:]...)
			}
			if resizes > 0 && (status == Done || rng.IntN(20) == 0) {
				resizes--
				s.Resize(1 + rng.IntN(600))
				budget = max(asked, s.budget)
			}
		}
	})
}

// TestResizeIsNoWorse compares searches that are resized after a few evaluations with
// searches that had their budget from the start, over the same worlds. The results are
// about as good, even if the first plan was for forty times as much and its design would
// not have ended.
func TestResizeIsNoWorse(t *testing.T) {
	const budget, seeds = 300, 4
	for name, first := range map[string]int{"grown": 100, "shrunk": 24_000} {
		straight, resized := 0.0, 0.0
		for seed := range int64(seeds) {
			w := newWorld(t, "smooth", seed)
			straight += w.gain(t, w.options(budget)) / seeds
			s := newSearch(t, w.options(first))
			told := 0
			c := &script{inFlight: 4, score: func(tr Trial, rng *rand.Rand) (float64, bool) {
				if told++; told == 16 {
					s.Resize(budget)
				}
				return w.score(tr, rng)
			}}
			rec := c.run(t, s)
			if s.spent != budget {
				t.Fatalf("%s: %d evaluations of %d", name, s.spent, budget)
			}
			resized += (w.True(rec.Best.Config) - w.True(w.Default())) / seeds
		}
		t.Logf("%s: %+.3f straight, %+.3f resized", name, straight, resized)
		if resized < straight-.06 {
			t.Errorf("%s: the gain is %+.3f, of a search that knew its budget %+.3f", name, resized, straight)
		}
	}
}

// TestResizeCutsTheDesign checks that the search goes on to the model's proposals when the
// budget is cut during a design for twenty thousand evaluations.
func TestResizeCutsTheDesign(t *testing.T) {
	w := newWorld(t, "smooth", 1)
	s := newSearch(t, w.options(20_000))
	told := 0
	c := &script{inFlight: 4, score: func(tr Trial, rng *rand.Rand) (float64, bool) {
		if told++; told == 100 {
			s.Resize(300)
		}
		return w.score(tr, rng)
	}}
	c.run(t, s)
	operators := map[string]int{}
	for _, tr := range c.trials {
		operators[tr.Operator]++
	}
	if len(c.trials) != 300 || operators["design"] > 100 || operators["model"] < 100 {
		t.Errorf("%d trials: %v", len(c.trials), operators)
	}
	if len(s.design) > 0 {
		t.Errorf("%d points of the design are left", len(s.design))
	}
}
