package model

import (
	"slices"
	"testing"

	"evolve/archive"
	"evolve/bench/metrics"
)

// TestUnjudged checks which written guards are reported as not judged, and why.
func TestUnjudged(t *testing.T) {
	t.Parallel()
	fixed, random := archive.AgentPlan{Deterministic: true}, archive.AgentPlan{}
	code := archive.AgentPlan{Deterministic: true, Metric: &metrics.Kind{Name: "ms"}}
	for name, c := range map[string]struct {
		plan            archive.AgentPlan
		written, judged []string
		ruled           bool
		want            []string
	}{
		"none written":           {fixed, nil, nil, true, nil},
		"latency, deterministic": {fixed, []string{"latency"}, []string{"cost"}, true, []string{"the guard on latency is not judged, because the agent is deterministic"}},
		"before any comparison":  {fixed, []string{"cost", "latency"}, nil, false, []string{"the guard on latency is not judged, because the agent is deterministic"}},
		"latency of a target":    {code, []string{"latency"}, nil, true, []string{"the guard on latency is not judged, because the target is deterministic"}},
		"latency with chance":    {random, []string{"latency"}, []string{"latency"}, true, nil},
		"a metric of no answer":  {random, []string{"cost", "tool_calls"}, []string{"cost"}, true, []string{"the guard on tool calls is not judged, because neither side reported any"}},
		"nothing was compared":   {random, []string{"tool_calls"}, nil, false, nil},
	} {
		c.plan.Guarded = c.written
		var got []string
		for _, u := range unjudgedOf(c.plan, c.judged, c.ruled) {
			got = append(got, u.Sentence())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
