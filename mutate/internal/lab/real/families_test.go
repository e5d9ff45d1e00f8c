package real

import (
	"math/rand/v2"
	"slices"
	"testing"

	"evolve/mutate/internal/lab/problem"
)

// worlds returns the small worlds of the tests, and the other worlds whose data is on
// this machine.
func worlds(t *testing.T) []*world {
	all, err := open(Find())
	if err != nil {
		t.Fatal(err)
	}
	return append(all, routing(household()), retrieval(aviation()))
}

// TestPartsAreDisjoint checks that search, holdout and truth together contain every task
// once, and differ by seed.
func TestPartsAreDisjoint(t *testing.T) {
	for _, w := range worlds(t) {
		m := w.problem(3, nil).Measured
		all := slices.Concat(m.Search, m.Holdout, m.Truth)
		slices.Sort(all)
		if len(all) != len(w.domains) || len(slices.Compact(all)) != len(w.domains) || len(m.Search) == 0 || len(m.Holdout) != len(m.Search) {
			t.Errorf("%s: %d search, %d held-out and %d other tasks of %d", w.name, len(m.Search), len(m.Holdout), len(m.Truth), len(w.domains))
		}
		if len(w.domains) > 100 && slices.Equal(m.Search, w.problem(4, nil).Measured.Search) {
			t.Errorf("%s: two seeds have the same search tasks", w.name)
		}
	}
}

// TestScores checks that a config's scores are in [0,1] and the same each time and in any
// order, and that the spaces are valid and have an effect.
func TestScores(t *testing.T) {
	for _, w := range worlds(t) {
		if problems := w.space.Check(); len(problems) > 0 {
			t.Fatalf("%s: %v", w.name, problems)
		}
		p, again := w.problem(1, nil), w.problem(1, nil)
		differ := false
		rng := rand.New(rand.NewPCG(1, 1))
		for range 6 {
			c := problem.Uniform(w.space, rng)
			for j := range min(9, len(p.Tasks)) {
				got := p.Score(c, j, j, 1, 0).Score
				if got < 0 || got > 1 || got != again.Score(c, j, 0, 2, 1).Score || got != p.Expected(c, j) {
					t.Fatalf("%s: %s scores %v on %s", w.name, c.Canonical(), got, p.Tasks[j].ID)
				}
				differ = differ || got != p.Score(p.Default(), j, 0, 0, 0).Score
			}
		}
		if !differ && len(w.domains) > 100 {
			t.Errorf("%s: no config has another score than the default", w.name)
		}
	}
}

// TestBestIsOfTheKnown checks that the best known config does not score below the default.
func TestBestIsOfTheKnown(t *testing.T) {
	families, err := Families(Find())
	if err != nil {
		t.Fatal(err)
	}
	if len(families) == 0 {
		t.Skip("no real data is on this machine: set EVOLVE_SHARED_DATA or EVOLVE_COLLECTION")
	}
	for _, f := range families {
		p := f.Make(1)
		best, score := p.Best()
		if standard := p.True(p.Default()); score < standard+0.05 {
			t.Errorf("%s: the best has %.3f, the default %.3f", f.Name, score, standard)
		}
		if got := p.True(best); got != score {
			t.Errorf("%s: the best has %v, not %v", f.Name, got, score)
		}
	}
}
