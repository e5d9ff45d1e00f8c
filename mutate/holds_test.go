package mutate

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"evolve/mutate/irt"
	"evolve/runtime/agent"
)

// hill is an agent whose best config is at a single point of its space.
type hill [3]float64

func (h hill) space() agent.Space {
	var s agent.Space
	for i := range h {
		s.Params = append(s.Params, agent.Param{Name: fmt.Sprintf("p%d", i), Kind: agent.Float, Max: 1, Default: 0.5})
	}
	return s
}

// expected returns the mean score of a config.
func (h hill) expected(c agent.Config) float64 {
	far := 0.0
	for i, at := range h {
		d := c.Float(fmt.Sprintf("p%d", i), 0) - at
		far += d * d
	}
	return irt.Sigmoid(2 - 9*far)
}

// search runs a search on the hill. It returns the gain of the recommendation over the
// default. It also returns the search, and the results of the search as history.
func (h hill) search(t *testing.T, budget int, seed int64, history []Remembered) (float64, *search, []Remembered) {
	t.Helper()
	s := newSearch(t, Options{
		Space: h.space(), Champion: h.space().Default(), Tasks: makeTasks(20), Budget: budget, Seed: seed, BaselineShare: -1, History: history,
	})
	c := &script{inFlight: 4, score: func(tr Trial, rng *rand.Rand) (float64, bool) {
		return float64(b2i(rng.Float64() < h.expected(tr.Config))), true
	}}
	rec := c.run(t, s)
	var out []Remembered
	for _, told := range c.told {
		out = append(out, Remembered{Variant: told.Trial.Variant, Config: told.Trial.Config, Task: told.Trial.Task, Score: told.Score, Trust: 1})
	}
	return h.expected(rec.Best.Config) - h.expected(h.space().Default()), s, out
}

// The two hills are equally far from the default and from each other.
var (
	tonight = hill{0.9, 0.15, 0.8}
	before  = hill{0.1, 0.85, 0.8}
)

// nightBefore returns the results of a search on a hill from an earlier night.
func nightBefore(t *testing.T, h hill, seed int64, changed bool) []Remembered {
	t.Helper()
	_, _, history := h.search(t, 250, seed+1000, nil)
	for i := range history {
		history[i].Night = 1
		if changed {
			history[i].Trust, history[i].Changed = 0.5, true
		}
	}
	return history
}

// TestAHistoryOfAMovedOptimumIsGivenUp checks a search whose history is from before the
// optimum moved. It must find the new optimum nearly as well as a search without history,
// whether or not the move was declared.
func TestAHistoryOfAMovedOptimumIsGivenUp(t *testing.T) {
	const seeds = 6
	cold, misled := 0.0, map[bool]float64{}
	for seed := range int64(seeds) {
		gain, _, _ := tonight.search(t, 120, seed, nil)
		cold += gain / seeds
		for _, declared := range []bool{false, true} {
			gain, s, _ := tonight.search(t, 120, seed, nightBefore(t, before, seed, declared))
			misled[declared] += gain / seeds
			if s.nights[0].holds {
				t.Errorf("seed %d, declared %v: the night before is taken to hold", seed, declared)
			}
		}
	}
	t.Logf("gain %.3f without a history, %.3f with a silent change since, %.3f with a declared one", cold, misled[false], misled[true])
	if least := 0.85 * cold; misled[false] < least || misled[true] < least {
		t.Errorf("gain %.3f without a history, %.3f with a silent change since, %.3f with a declared one", cold, misled[false], misled[true])
	}
}

// TestAHistoryThatHoldsIsKept checks that if the optimum has not moved, a search with a
// history is better at finding it than a search without one, even after a declared
// change.
func TestAHistoryThatHoldsIsKept(t *testing.T) {
	const seeds = 6
	cold, warm := 0.0, map[bool]float64{}
	for seed := range int64(seeds) {
		gain, _, _ := tonight.search(t, 40, seed, nil)
		cold += gain / seeds
		for _, declared := range []bool{false, true} {
			gain, s, _ := tonight.search(t, 40, seed, nightBefore(t, tonight, seed, declared))
			warm[declared] += gain / seeds
			if !s.nights[0].holds {
				t.Errorf("seed %d, declared %v: the night before is left out", seed, declared)
			}
		}
	}
	t.Logf("gain %.3f without a history, %.3f with one, %.3f with one before a declared change", cold, warm[false], warm[true])
	if least := cold + 0.1; warm[false] < least || warm[true] < least {
		t.Errorf("gain %.3f without a history, %.3f with one, %.3f with one before a declared change", cold, warm[false], warm[true])
	}
}

// TestTheDesignReturns checks that a design that a history replaced is restored when
// tonight's results contradict the history, with each of its points exactly once.
func TestTheDesignReturns(t *testing.T) {
	whole := newSearch(t, smallOptions(300))
	o := smallOptions(300)
	for range 60 {
		c := whole.random().config
		for _, task := range o.Tasks {
			o.History = append(o.History, Remembered{Variant: c.ID(), Config: c, Task: task.ID, Score: 0.5, Trust: 1})
		}
	}
	s := newSearch(t, o)
	if len(s.replaced) == 0 || len(s.design) >= len(whole.design) {
		t.Fatalf("a history leaves %d points of %d", len(s.design), len(whole.design))
	}
	s.nights[0].holds = false
	s.restore()
	s.restore()
	seen := map[agent.ConfigID]int{}
	for _, p := range s.design {
		seen[p.config.ID()]++
	}
	for _, p := range whole.design {
		if seen[p.config.ID()] != 1 {
			t.Errorf("a point of the design stands %d times in the restored one", seen[p.config.ID()])
		}
	}
}
