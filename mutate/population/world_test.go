package population

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"evolve/mutate"
	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

// world is a synthetic target. A program is a text of numbers, and its score on a case is
// higher the nearer its numbers are to those of the case; the numbers of each case differ
// little from those of the world.
type world struct {
	space agent.Space
	want  []float64
	cases map[string][]float64
}

const length = 6

func newWorld(cases int, seed uint64) *world {
	rng := rand.New(rand.NewPCG(seed, 1))
	w := &world{
		space: agent.Space{Params: []agent.Param{{Name: "block", Kind: agent.Text, MaxChars: 1000, Default: write(make([]float64, length))}}},
		cases: map[string][]float64{},
	}
	for range length {
		w.want = append(w.want, 2*rng.NormFloat64())
	}
	for i := range cases {
		var own []float64
		for _, v := range w.want {
			own = append(own, v+.3*rng.NormFloat64())
		}
		w.cases[fmt.Sprintf("case-%03d", i)] = own
	}
	return w
}

func (w *world) options(budget int, seed int64) Options {
	o := Options{Options: mutate.Options{Space: w.space, Champion: w.space.Default(), Budget: budget, Seed: seed}, Operators: []operator.Operator{nudge{}, mix{}}}
	for i := range len(w.cases) {
		o.Tasks = append(o.Tasks, mutate.Task{ID: fmt.Sprintf("case-%03d", i), Weight: 1})
	}
	return o
}

func near(have, want []float64) float64 {
	square := 0.
	for i, v := range want {
		square += (have[i] - v) * (have[i] - v)
	}
	return 1 / (1 + math.Sqrt(square))
}

func (w *world) score(c agent.Config, task string) float64 { return near(read(c), w.cases[task]) }

func (w *world) truth(c agent.Config) float64 {
	sum := 0.
	for _, own := range w.cases {
		sum += near(read(c), own)
	}
	return sum / float64(len(w.cases))
}

func write(list []float64) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = fmt.Sprintf("%.2f", v)
	}
	return strings.Join(words, " ")
}

func read(c agent.Config) []float64 {
	out := make([]float64, length)
	for i, word := range strings.Fields(c["block"].(string)) {
		fmt.Sscan(word, &out[i]) //nolint:errcheck // the tests write the texts
	}
	return out
}

// nudge changes one number.
type nudge struct{}

func (nudge) Name() string { return "nudge" }

func (nudge) Make(s operator.FailureContext, rng *rand.Rand) (operator.Child, bool) {
	list := read(s.Parent)
	list[rng.IntN(length)] += 2 * s.Scale * rng.NormFloat64()
	return operator.Child{Config: agent.Config{"block": write(list)}, Operator: "nudge", Rationale: "a number changed"}, true
}

// mix combines numbers from both parents.
type mix struct{}

func (mix) Name() string { return "mix" }

func (mix) Make(s operator.FailureContext, rng *rand.Rand) (operator.Child, bool) {
	if s.Other == nil {
		return operator.Child{}, false
	}
	list := read(s.Parent)
	for i, v := range read(s.Other) {
		if rng.IntN(2) == 0 {
			list[i] = v
		}
	}
	return operator.Child{Config: agent.Config{"block": write(list)}, Operator: "mix", Rationale: "numbers mixed", Both: true}, true
}

// drive runs a search with the given number of evaluations in flight. It reports the
// results of the evaluations in random order, and returns the trials in the order in
// which the search asked for them.
func drive(t *testing.T, s mutate.Searcher, inFlight int, score func(mutate.Trial) (float64, bool)) []mutate.Trial {
	t.Helper()
	return driveWith(t, s, inFlight, score, func(tr mutate.Trial) mutate.Observation {
		t.Fatalf("a brief without models: %+v", tr)
		return mutate.Observation{}
	})
}

// driveWith is drive with a function that answers briefs.
func driveWith(t *testing.T, s mutate.Searcher, inFlight int, score func(mutate.Trial) (float64, bool), answer func(mutate.Trial) mutate.Observation) []mutate.Trial {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 9))
	var all, flying []mutate.Trial
	for {
		trial, status := s.Ask()
		if status == mutate.Ready {
			all, flying = append(all, trial), append(flying, trial)
		}
		if status != mutate.Ready && len(flying) == 0 {
			if status == mutate.Wait {
				t.Fatal("the search waits for nothing")
			}
			return all
		}
		if status != mutate.Ready || len(flying) >= inFlight {
			i := rng.IntN(len(flying))
			o := mutate.Observation{Trial: flying[i]}
			if o.Trial.Brief != nil {
				o = answer(flying[i])
				o.Trial = flying[i]
			} else {
				o.Score, o.Scored = score(flying[i])
			}
			flying[i] = flying[len(flying)-1]
			flying = flying[:len(flying)-1]
			s.Tell(o)
		}
	}
}
