package mutate

import (
	"math"
	"math/rand/v2"
	"testing"

	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

// nights runs a search as if on an earlier night and returns its results as history.
func nights(t *testing.T, w *world, budget int, trust float64) []Remembered {
	o := w.options(budget)
	o.Seed += 1000
	c := &script{inFlight: 4, score: w.score}
	c.run(t, newSearch(t, o))
	var out []Remembered
	for _, told := range c.told {
		out = append(out, Remembered{Variant: told.Trial.Variant, Config: told.Trial.Config, Task: told.Trial.Task, Score: told.Score, Trust: trust})
	}
	return out
}

// TestHistoryHelps checks that a warm start beats a cold one if the budget is small.
func TestHistoryHelps(t *testing.T) {
	cold, warm := 0.0, 0.0
	const seeds = 4
	for seed := range int64(seeds) {
		w := newWorld(t, "drift", 20+seed)
		o := w.options(160)
		cold += w.gain(t, o) / seeds
		o.History = nights(t, w, 400, 0.8)
		warm += w.gain(t, o) / seeds
	}
	if !(warm > cold+0.03) {
		t.Errorf("gain %.3f with a history, %.3f without", warm, cold)
	}
}

// TestMisleadingHistoryDoesNotRuin checks that a misleading history with little trust does
// not ruin a search.
func TestMisleadingHistoryDoesNotRuin(t *testing.T) {
	cold, misled := 0.0, 0.0
	const seeds = 4
	for seed := range int64(seeds) {
		w := newWorld(t, "smooth", 20+seed)
		o := w.options(200)
		cold += w.gain(t, o) / seeds
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		for range 60 { // good configs get bad scores
			c := operator.Random(w.Space, w.Default(), rng)
			for j := range 5 {
				o.History = append(o.History, Remembered{
					Variant: c.ID(), Config: c, Task: w.tasks[j].ID, Score: 1 - w.Expected(c, j), Trust: 0.1,
				})
			}
		}
		misled += w.gain(t, o) / seeds
	}
	if misled < 0.6*cold {
		t.Errorf("gain %.3f with a misleading history, %.3f without", misled, cold)
	}
}

// TestHistoryIsNoEvidenceOfTonight checks that the history counts neither as tonight's
// evaluations nor as evidence against the champion.
func TestHistoryIsNoEvidenceOfTonight(t *testing.T) {
	o := smallOptions(60)
	good := o.Champion.Clone()
	good["p0"] = 0.9
	for _, task := range o.Tasks {
		for range 5 {
			o.History = append(o.History, Remembered{Variant: good.ID(), Config: good, Task: task.ID, Score: 1, Trust: 1},
				Remembered{Variant: o.Champion.ID(), Config: o.Champion, Task: task.ID, Score: 0, Trust: 1})
		}
	}
	s := newSearch(t, o)
	if rec := s.Recommend(); rec.Best.Variant != o.Champion.ID() || rec.Variants != 1 || rec.Champion.Evaluations != 0 {
		t.Errorf("before the first evaluation: %+v", rec)
	}
	c := &script{score: coin}
	c.run(t, s)
	if len(c.trials) != 60 {
		t.Errorf("%d evaluations of 60", len(c.trials))
	}
	tried := false
	for _, tr := range c.trials {
		tried = tried || tr.Variant == good.ID() && tr.Operator == "recall"
	}
	if !tried {
		t.Error("the best of earlier nights was not tried again")
	}
}

func TestStrangeHistoryIsLeftOut(t *testing.T) {
	o := smallOptions(30)
	odd := []Remembered{
		{Variant: "a", Config: o.Champion, Task: "gone", Score: 1, Trust: 1},
		{Variant: "b", Config: agent.Config{"other": 1.0}, Task: "t0", Score: 1, Trust: 1},
		{Variant: "c", Config: o.Champion, Task: "t0", Score: math.NaN(), Trust: 1},
		{Variant: "d", Config: o.Champion, Task: "t0", Score: 2, Trust: 1},
		{Variant: "e", Config: o.Champion, Task: "t0", Score: 1, Trust: 0},
		{Variant: "f", Config: o.Champion, Task: "t0", Score: 1, Trust: math.NaN()},
	}
	run := func(history []Remembered) agent.ConfigID {
		o.History = history
		c := &script{score: coin}
		return c.run(t, newSearch(t, o)).Best.Variant
	}
	if run(odd) != run(nil) {
		t.Error("a history of nothing changed the search")
	}
}
