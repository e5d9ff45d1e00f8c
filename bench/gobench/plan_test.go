package gobench

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestPlanIsFair checks that every side runs once per round, and that over an even number
// of rounds all sides have the same mean position.
func TestPlanIsFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rounds := rapid.IntRange(0, 12).Draw(t, "rounds")
		seed := rapid.Int64().Draw(t, "seed")
		sides := []Side{Base, Candidate, Again}[:rapid.IntRange(1, 3).Draw(t, "sides")]
		steps := Plan(rounds, seed, sides...)
		if !slices.Equal(steps, Plan(rounds, seed, sides...)) {
			t.Fatal("the same seed gives another plan")
		}
		if len(steps) != rounds*len(sides) {
			t.Fatalf("%d steps", len(steps))
		}
		places := map[Side]int{}
		for i, s := range steps {
			if !slices.Contains(sides, s) || slices.Contains(steps[i-i%len(sides):i], s) {
				t.Fatalf("step %d of %v", i, steps)
			}
			places[s] += i
		}
		if rounds%2 == 0 {
			for _, s := range sides {
				if places[s] != places[sides[0]] {
					t.Fatalf("unequal places %v in %v", places, steps)
				}
			}
		}
	})
}

// TestPlanOutlivesADriftingMachine simulates a machine that becomes 30 % slower during the
// measurement. A candidate equal to the base must look much worse if the sides run one
// after the other, but not if they run by a plan.
func TestPlanOutlivesADriftingMachine(t *testing.T) {
	measure := func(steps []Side) Verdict {
		rng := rand.New(rand.NewPCG(5, 6))
		var m Measured
		for i, s := range steps {
			value := noisy(rng, 1, 1+.3*float64(i)/float64(len(steps)), .01)
			run := Run{{"BenchmarkX", sec}: value}
			if s == Base {
				m.Base = append(m.Base, run)
			} else {
				m.Candidate = append(m.Candidate, run)
			}
		}
		return Compare(m, Rule{}).Verdict
	}
	for seed := range int64(20) {
		if v := measure(Plan(10, seed, Base, Candidate)); v != NotShown {
			t.Errorf("by the plan of seed %d: %s", seed, v)
		}
	}
	apart := Plan(10, 1, Base, Candidate)
	slices.SortStableFunc(apart, func(a, b Side) int { return len(a) - len(b) })
	if v := measure(apart); v != Worse {
		t.Errorf("one after the other: %s; the drift is too small to test anything", v)
	}
}
