package night

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// TestADriftEndsTheHistory checks that a search learns nothing from nights in which the
// champion scored differently; the other configs scored differently in those nights as
// well.
func TestADriftEndsTheHistory(t *testing.T) {
	for name, drifts := range map[string]bool{"the provider is the same": false, "the provider changed": true} {
		t.Run(name, func(t *testing.T) {
			o := newNights(t, 60)
			o.Evaluations = 400
			o.Agent.Deterministic, o.Agent.UsesSeed = false, true
			before := o.Answer
			o.run(t)
			if drifts {
				o.Answer = func(ctx context.Context, req agent.Request) agent.Result {
					res := before(ctx, req)
					other := map[string]string{"yes": "no", "no": "yes"}[*res.Answer]
					res.Answer = &other
					return res
				}
			}
			warned := slices.ContainsFunc(o.run(t).Plan.Warnings, func(w string) bool { return strings.Contains(w, "scores differ from those of earlier nights") })
			if warned != drifts {
				t.Errorf("history left out: %t", warned)
			}
		})
	}
}

// TestDriftOfNightsInARow checks that nights that show little individually are left out
// together, and that nights before another change are not.
func TestDriftOfNightsInARow(t *testing.T) {
	night := func(rng *rand.Rand, mean float64) stats.NightScores {
		scores := stats.NightScores{}
		for task := range 10 {
			for range 2 {
				x := 0.
				if rng.Float64() < mean {
					x = 1
				}
				id := fmt.Sprint("t", task)
				scores[id] = append(scores[id], x)
			}
		}
		return scores
	}
	for _, c := range []struct {
		name  string
		means []float64 // tonight's first, then the latest run's
		want  []bool
	}{
		{"as ever", []float64{.8, .8, .8, .8, .8}, []bool{false, false, false, false}},
		{"changed tonight", []float64{.55, .9, .9, .9, .9}, []bool{true, true, true, true}},
		{"changed and changed back", []float64{.95, 0, 0, .95, .95}, []bool{true, true, false, false}},
		{"nothing known of the oldest", []float64{.3, .9, .9, .9, -1}, []bool{true, true, true, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			var all []stats.NightScores
			for _, mean := range c.means {
				if mean < 0 {
					all = append(all, stats.NightScores{})
				} else {
					all = append(all, night(rng, mean))
				}
			}
			if got := drifted(all[1:], all[0], stats.Nature{}); !slices.Equal(got, c.want) {
				t.Errorf("the runs that differ are %v, want %v", got, c.want)
			}
		})
	}
}
