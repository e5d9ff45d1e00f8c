package mutate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"evolve/mutate/internal/lab/problem"
)

// world is a synthetic problem to search.
type world struct {
	*problem.Problem
	tasks []Task
	index map[string]int
	seed  int64
}

func newWorld(t testing.TB, family string, seed int64) *world {
	t.Helper()
	for _, f := range slices.Concat(problem.Families(), problem.Yardstick()) {
		if f.Name != family {
			continue
		}
		w := &world{Problem: f.Make(seed), index: map[string]int{}, seed: seed}
		for j, x := range w.Tasks {
			w.tasks = append(w.tasks, Task{ID: x.ID, Domain: x.Domain, Weight: x.Weight})
			w.index[x.ID] = j
		}
		return w
	}
	t.Fatalf("there is no family %q", family)
	return nil
}

func (w *world) options(budget int) Options {
	return Options{Space: w.Space, Champion: w.Default(), Tasks: w.tasks, Budget: budget, Seed: w.seed, BaselineShare: -1}
}

func (w *world) score(tr Trial, _ *rand.Rand) (float64, bool) {
	return w.Score(tr.Config, w.index[tr.Task], tr.Repeat, w.seed, 0).Score, true
}

// gain returns the true improvement of a search's recommendation over the default.
func (w *world) gain(t testing.TB, o Options) float64 {
	c := &script{inFlight: 4, score: w.score}
	rec := c.run(t, newSearch(t, o))
	return w.True(rec.Best.Config) - w.True(w.Default())
}
