package model

import (
	"fmt"
	"testing"
	"time"
)

// TestP95Ratio checks that the latencies of both sides are compared pair by pair, and that few
// tasks have no interval.
func TestP95Ratio(t *testing.T) {
	t.Parallel()
	timed := func(tasks int) *Ratio {
		b := &builder{tally: &tally{champion: map[string]map[int]attempt{}, variant: map[string]map[int]attempt{}}}
		for i := range tasks {
			took := time.Duration(1+i%10) * time.Second
			task := fmt.Sprintf("t%03d", i)
			b.tally.champion[task] = map[int]attempt{0: {latency: took}}
			b.tally.variant[task] = map[int]attempt{0: {latency: 2 * took}}
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
