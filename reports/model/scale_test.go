package model

import (
	"fmt"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/metrics"
	"evolve/runtime/agent"
)

// TestScaleRemarks checks that a report tells where the score hardly tells versions apart, and
// where it puts another version first than the mean of the metric does.
func TestScaleRemarks(t *testing.T) {
	kind := metrics.Kind{Name: "time", Unit: "s", Better: metrics.Lower, Size: 10, Form: metrics.Form}
	type version struct {
		score  float64
		values [4]float64
	}
	for name, c := range map[string]struct {
		best, other version
		noise       bool
		want        []string
	}{
		"apart":           {best: version{.8, [4]float64{5, 5, 5, 5}}, other: version{.7, [4]float64{6, 6, 6, 6}}},
		"too good":        {best: version{.995, [4]float64{1, 1, 1, 1}}, other: version{.7, [4]float64{6, 6, 6, 6}}, want: []string{"hardly tells versions as good as v2 apart: on 4 of 4 search cases"}},
		"another first":   {best: version{.8, [4]float64{5, 5, 5, 5}}, other: version{.79, [4]float64{1, 7, 1, 7}}, want: []string{"by the mean of time on 4 search cases v3 is better than v2, which the score puts first: 5.0 → 4.0 s"}},
		"rounding":        {best: version{.8, [4]float64{5, 5, 5, 5}}, other: version{.79, [4]float64{5, 5, 5, 5 - 1e-12}}},
		"chance explains": {best: version{.8, [4]float64{5, 5, 5, 5}}, other: version{.79, [4]float64{1, 7, 1, 7}}, noise: true},
	} {
		b := builder{
			plan: archive.AgentPlan{Metric: &kind, Champion: "a"}, variants: map[agent.ConfigID]archive.Variant{"b": {ID: "b", Number: 2}, "c": {ID: "c", Number: 3}},
			tally: &tally{metric: &kind, search: map[agent.ConfigID]*trials{}, ablated: map[agent.ConfigID]*trials{}, stages: map[bench.Stage]*Stage{}, outcomes: map[agent.Outcome]int{}},
		}
		if c.noise {
			b.plan.Noise = &metrics.Noise{Cases: 4, Differ: 4}
		}
		b.result.Search.Recommended.Variant = "b"
		for id, v := range map[agent.ConfigID]version{"a": {.5, [4]float64{10, 10, 10, 10}}, "b": c.best, "c": c.other} {
			for i, value := range v.values {
				b.tally.add(bench.Evaluation{
					Variant: id, Task: fmt.Sprintf("t%d", i), Stage: bench.StageSearch, Outcome: agent.OK, Scored: true, Score: v.score,
					Answer: fmt.Sprintf(`{"case":"t%d","metric":"time","value":%v,"unit":"s","better":"lower"}`, i, value),
				})
			}
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
