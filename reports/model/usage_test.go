package model

import (
	"fmt"
	"math"
	"testing"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// TestP95Ratio checks that the latencies of both sides are compared pair by pair, and that
// no interval is given for few tasks.
func TestP95Ratio(t *testing.T) {
	t.Parallel()
	timed := func(tasks int) *Ratio {
		b := &tally{champion: map[string]map[int]attempt{}, variant: map[string]map[int]attempt{}}
		for i := range tasks {
			took := float64(1 + i%10)
			task := fmt.Sprintf("t%03d", i)
			b.champion[task] = map[int]attempt{0: {outcome: agent.OK, seconds: took}}
			b.variant[task] = map[int]attempt{0: {outcome: agent.OK, seconds: 2 * took}}
		}
		for i := range leastP95 { // these have no time, and are ignored
			task := fmt.Sprintf("u%03d", i)
			b.champion[task] = map[int]attempt{0: {outcome: agent.Execution, seconds: math.NaN()}}
			b.variant[task] = map[int]attempt{0: {outcome: agent.OK, seconds: 1}}
		}
		_, _, ratio := b.latencies()
		return ratio
	}
	if got := timed(leastP95 - 1); got != nil {
		t.Errorf("%d tasks have the ratio %+v", leastP95-1, got)
	}
	got := timed(100)
	if got == nil || got.Ratio != 2 || got.Lo < 1.5 || got.Lo > 2 || got.Hi < 2 || got.Hi > 2.5 {
		t.Errorf("twice the time has the ratio %+v", got)
	}
}

// TestLatenciesOfAnswers checks that neither crashes nor process starts count as answer
// time, on either side.
func TestLatenciesOfAnswers(t *testing.T) {
	t.Parallel()
	none := math.NaN()
	b := &tally{champion: map[string]map[int]attempt{}, variant: map[string]map[int]attempt{}}
	for task, seconds := range map[string][2]float64{"a": {1, 2}, "b": {none, 9}, "c": {9, none}, "d": {3, 4}} {
		b.champion[task] = map[int]attempt{0: {outcome: agent.OK, seconds: seconds[0]}}
		b.variant[task] = map[int]attempt{0: {outcome: agent.OK, seconds: seconds[1]}}
	}
	champion, variant, _ := b.latencies()
	if champion == nil || variant == nil || *champion != (Latency{P50: 1, P95: 3}) || *variant != (Latency{P50: 2, P95: 4}) {
		t.Errorf("the latencies are %+v and %+v", champion, variant)
	}
}

// TestUsageIsOfTheRuling checks that the two values of a metric, and thus their ratio,
// use the same tasks and weights as the ruling. If a metric has a bound, its values must
// be the values in the ruling.
func TestUsageIsOfTheRuling(t *testing.T) {
	t.Parallel()
	used := func(tokens int) map[int]attempt {
		return map[int]attempt{0: {outcome: agent.OK, usage: agent.Usage{InputTokens: int64(tokens), CostUSD: 1}}}
	}
	b := &builder{tally: &tally{
		champion: map[string]map[int]attempt{"a": used(100), "b": used(400), "alone": used(9000)},
		variant:  map[string]map[int]attempt{"a": used(200), "b": used(400)},
	}}
	b.result.Grounds = &archive.Grounds{Tasks: []archive.GroundTask{{ID: "a", Cluster: "a", Weight: 2}, {ID: "b", Cluster: "b", Weight: 1}}}
	b.result.Finalist = []archive.Finalist{{Ruling: &stats.Ruling{Guards: []stats.Guard{{Name: stats.Cost, Of: stats.Mean, Champion: 2, Candidate: 3, Ratio: 1.5}}}}}
	b.usage()
	want := map[string]Usage{
		"cost":         {Champion: 2, Variant: 3, Ratio: &Ratio{Ratio: 1.5}},
		"input tokens": {Champion: 200, Variant: 800. / 3, Ratio: &Ratio{Ratio: 4. / 3}},
	}
	for _, u := range b.out.Usage {
		w := want[u.Name]
		if w.Ratio == nil || math.Abs(u.Champion-w.Champion) > 1e-9 || math.Abs(u.Variant-w.Variant) > 1e-9 || math.Abs(u.Ratio.Ratio-w.Ratio.Ratio) > 1e-9 {
			t.Errorf("%s is %+v, want %+v", u.Name, u, w)
		}
	}
	if len(b.out.Usage) != len(want) {
		t.Errorf("the consumption is %+v", b.out.Usage)
	}
}
