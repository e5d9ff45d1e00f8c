package mutate

import (
	"testing"

	"evolve/runtime/agent"
)

// TestExhaustedSpaceIsKnown exhausts a space of three configs before the budget is used
// up, and checks that the last results also count for the recommendation.
func TestExhaustedSpaceIsKnown(t *testing.T) {
	space := agent.Space{Params: []agent.Param{{Name: "mode", Kind: agent.Choice, Values: []any{"bad", "worse", "good"}, Default: "bad"}}}
	for _, flight := range []int{1, 5, 21} {
		s := newSearch(t, Options{Space: space, Champion: space.Default(), Tasks: makeTasks(7), Budget: 48, MaxRepeats: 1, Seed: 1})
		var flying []Trial
		for {
			trial, status := s.Ask()
			if status == Ready {
				flying = append(flying, trial)
			}
			if len(flying) == 0 {
				break
			}
			if len(flying) >= flight || status != Ready {
				score := 0.0
				if flying[0].Config.String("mode") == "good" && flying[0].Task != "t3" {
					score = 1
				}
				s.Tell(Observation{Trial: flying[0], Scored: true, Score: score})
				flying = flying[1:]
			}
		}
		r := s.Recommend()
		if r.Best.Config.String("mode") != "good" || !r.Exhausted || r.Best.Evaluations != 7 {
			t.Errorf("%d in flight: %+v after %d evaluations, %v", flight, r.Best.Config, r.Best.Evaluations, r.Reasons)
		}
	}
}
