package model

import (
	"fmt"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// TestScaleRemarks checks that a report states when the score hardly distinguishes
// versions, and when the mean of the metric shows another version to be better. It must not
// mention a version that gates refused or that was left out.
func TestScaleRemarks(t *testing.T) {
	kind := metrics.Kind{Name: "time", Unit: "s", Better: metrics.Lower, Size: 10, Form: metrics.Form}
	first := &archive.MetricFirst{Variant: "c", Over: "b", Gain: stats.Further{
		Finding: stats.FurtherBetter,
		Gain:    stats.Gain{Kind: kind, A: 5, B: 4, Difference: -1, Interval: &stats.Interval{Lo: -1.5, Hi: -.5}, Level: .995, Cases: 40},
	}}
	const coarse = "hardly distinguishes versions as good as v2: on 4 of 4 search cases"
	for name, c := range map[string]struct {
		score  float64
		result archive.AgentResult
		want   []string
	}{
		"apart":         {score: .8},
		"too good":      {score: .995, want: []string{coarse}},
		"another first": {score: .8, result: archive.AgentResult{Search: archive.SearchResult{MetricFirst: first}}, want: []string{"by the mean of the metric over 40 search cases, v3 is better than v2, which ranks first by score: time 5.00 → 4.00 s, −1.00 s, 99.5 % interval −1.50 to −0.50; a large"}},
		"refused":       {score: .995, result: archive.AgentResult{Refused: []stats.Refusal{{Variant: "b"}}}},
		"left out":      {score: .995, result: archive.AgentResult{LeftOut: []archive.LeftOut{{Variant: "b"}}}},
	} {
		b := builder{
			plan: archive.AgentPlan{Metric: &kind, Champion: "a"}, variants: map[agent.ConfigID]archive.Variant{"b": {ID: "b", Number: 2}, "c": {ID: "c", Number: 3}}, result: c.result,
			tally: &tally{metric: &kind, tried: newTried(false), stages: map[bench.Stage]*Stage{}, outcomes: map[agent.Outcome]int{}},
		}
		b.result.Search.Recommended.Variant = "b"
		for i := range 4 {
			b.tally.add(bench.Evaluation{Variant: "b", Task: fmt.Sprintf("t%d", i), Stage: bench.StageSearch, Outcome: agent.OK, Scored: true, Score: c.score})
		}
		got := b.scaleRemarks()
		ok := len(got) == len(c.want)
		for i := range c.want {
			ok = ok && strings.Contains(got[i], c.want[i])
		}
		if !ok {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
