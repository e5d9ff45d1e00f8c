package model

import (
	"fmt"
	"math"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
)

// costing records evaluations on search tasks whose costs differ a hundredfold: a variant's
// evaluation of task i costs its factor times (1+i)² dollars and takes as many seconds.
func costing(fixed bool) (*tried, func(id agent.ConfigID, factor float64, stage bench.Stage, repeat int, tasks ...int)) {
	list := newTried(fixed)
	return list, func(id agent.ConfigID, factor float64, stage bench.Stage, repeat int, tasks ...int) {
		for _, i := range tasks {
			amount := factor * float64((1+i)*(1+i))
			list.enter(bench.Evaluation{
				Variant: id, Task: fmt.Sprint("t", i), Stage: stage, Repeat: repeat, Outcome: agent.OK, Score: min(1, factor/4),
				Usage: agent.Usage{CostUSD: amount, InputTokens: int64(100 * amount)}, Latency: time.Duration(amount * float64(time.Second)),
			})
		}
	}
}

// TestConsumption checks that a variant that costs twice as much on every task is estimated
// at twice the champion's mean, whichever tasks it ran, in whichever stages.
func TestConsumption(t *testing.T) {
	list, enter := costing(false)
	enter("champion", 1, bench.StageSearch, 0, 0, 1, 2, 3, 4, 5)
	enter("champion", 1, bench.StageAA, 90, 6, 7)
	enter("champion", 1, bench.StageAblate, 0, 8, 9)
	enter("cheap tasks", 2, bench.StageBaseline, 0, 0, 1, 2)
	enter("cheap tasks", 2, bench.StageAblate, 1, 2, 3, 6, 20)
	enter("few tasks", 2, bench.StageSearch, 0, 0, 1, 2, 3, 20, 21)
	const mean = 38.5 // of the squares from 1 to 100
	for id, want := range map[agent.ConfigID]float64{"champion": mean, "cheap tasks": 2 * mean} {
		c, known := list.consumption("champion", id)
		if !known || math.Abs(c.cost-want) > 1e-9 || math.Abs(c.seconds-want) > 1e-4 || math.Abs(c.tokens-100*want) > 1e-6 {
			t.Errorf("%s: %+v, %v; want %v", id, c, known, want)
		}
	}
	for _, id := range []agent.ConfigID{"few tasks", "unknown"} {
		if c, known := list.consumption("champion", id); known {
			t.Errorf("%s: %+v; want no estimate", id, c)
		}
	}
	free, enter := costing(false)
	enter("champion", 0, bench.StageSearch, 0, 0, 1, 2, 3, 4)
	enter("dear", 1, bench.StageSearch, 0, 0, 1, 2, 3, 4)
	if c, known := free.consumption("champion", "dear"); !known || math.Abs(c.cost-11) > 1e-9 {
		t.Errorf("against a champion that costs nothing: %+v, %v; want its own mean", c, known)
	}
}

// TestFrontByEstimates checks that the front is computed from the estimates. A variant
// that looks cheap only because it ran cheap tasks is not on the front, nor is a variant
// with too few common tasks.
func TestFrontByEstimates(t *testing.T) {
	list, enter := costing(false)
	enter("champion", 1, bench.StageSearch, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	enter("cheap tasks", 2, bench.StageSearch, 0, 0, 1, 2, 3, 4)
	enter("better", 1.5, bench.StageSearch, 0, 5, 6, 7, 8, 9)
	enter("few tasks", .1, bench.StageSearch, 0, 0, 1)
	scored := func(id agent.ConfigID, score float64) archive.ScoredVariant {
		return archive.ScoredVariant{Variant: id, Score: score, CostUSD: .001}
	}
	for name, search := range map[string]archive.SearchResult{
		"compared": {Compared: []archive.ScoredVariant{scored("better", .9), scored("cheap tasks", .8), scored("few tasks", .8)}},
		"older":    {Front: []archive.ScoredVariant{scored("few tasks", .8), scored("cheap tasks", .8), scored("champion", .5), scored("better", .9)}},
	} {
		search.Champion = scored("champion", .5)
		b := builder{
			headline: -1, tally: &tally{tried: list}, plan: archive.AgentPlan{Champion: "champion"}, result: archive.AgentResult{Search: search},
			variants: map[agent.ConfigID]archive.Variant{"champion": {Number: 1}, "cheap tasks": {Number: 2}, "better": {Number: 3}, "few tasks": {Number: 4}},
		}
		b.front()
		if f := b.out.Front; len(f) != 2 || f[0].Variant.ID != "champion" || f[1].Variant.ID != "better" ||
			math.Abs(f[1].CostUSD-1.5*f[0].CostUSD) > 1e-9 || math.Abs(f[1].Seconds-1.5*f[0].Seconds) > 1e-4 {
			t.Errorf("%s: %+v", name, f)
		}
		b.plan.Deterministic, b.out = true, Agent{}
		if b.front(); b.out.Front[0].Seconds != 0 {
			t.Errorf("%s: a time of a deterministic agent", name)
		}
	}
}
