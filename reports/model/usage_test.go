package model

import (
	"fmt"
	"math"
	"testing"

	"evolve/runtime/agent"
)

// TestP95Ratio checks that the latencies of both sides are compared pair by pair, and that few
// tasks have no interval.
func TestP95Ratio(t *testing.T) {
	t.Parallel()
	timed := func(tasks int) *Ratio {
		b := &builder{tally: &tally{champion: map[string]map[int]attempt{}, variant: map[string]map[int]attempt{}}}
		for i := range tasks {
			took := float64(1 + i%10)
			task := fmt.Sprintf("t%03d", i)
			b.tally.champion[task] = map[int]attempt{0: {outcome: agent.OK, seconds: took}}
			b.tally.variant[task] = map[int]attempt{0: {outcome: agent.OK, seconds: 2 * took}}
		}
		return b.p95Ratio()
	}
	if got := timed(leastP95 - 1); got != nil {
		t.Errorf("%d tasks have the ratio %+v", leastP95-1, got)
	}
	got := timed(100)
	if got == nil || got.Ratio != 2 || got.Lo < 1.5 || got.Lo > 2 || got.Hi < 2 || got.Hi > 2.5 {
		t.Errorf("twice the time has the ratio %+v", got)
	}
}

// TestLatenciesOfAnswers checks that neither crashes nor the start of a process count as the
// time of an answer, on either side.
func TestLatenciesOfAnswers(t *testing.T) {
	t.Parallel()
	none := math.NaN()
	b := &tally{champion: map[string]map[int]attempt{}, variant: map[string]map[int]attempt{}}
	for task, seconds := range map[string][2]float64{"a": {1, 2}, "b": {none, 9}, "c": {9, none}, "d": {3, 4}} {
		b.champion[task] = map[int]attempt{0: {outcome: agent.OK, seconds: seconds[0]}}
		b.variant[task] = map[int]attempt{0: {outcome: agent.OK, seconds: seconds[1]}}
	}
	champion, variant := b.latencies()
	if champion == nil || variant == nil || *champion != (Latency{P50: 1, P95: 3}) || *variant != (Latency{P50: 2, P95: 4}) {
		t.Errorf("the latencies are %+v and %+v", champion, variant)
	}
}
