package workspace

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/bench/stats"
)

// TestBounds checks that agent.yaml overrides evolve.yaml, which overrides the defaults,
// key by key.
func TestBounds(t *testing.T) {
	cost := stats.Bound{Name: "cost", Of: stats.Mean, AtMost: 1.1, Floor: .00005}
	latency := stats.Bound{Name: "latency", Of: stats.P95, AtMost: 1.1, Floor: .05}
	set := func(b stats.Bound, atMost, floor, point float64) stats.Bound {
		b.AtMost, b.Floor, b.PerPoint = atMost, floor, point
		return b
	}
	for _, c := range []struct {
		name, settings, agent string
		want                  []stats.Bound
	}{
		{"nothing said", "", "", stats.DefaultBounds()},
		{"latency off", "guards: {latency: off}\n", "", []stats.Bound{cost}},
		{"off in the workspace, on in the agent", "guards: {latency: off}\n", "guards: {latency: {floor: 2s}}\n", []stats.Bound{cost, set(latency, 1.1, 2, 0)}},
		{"key by key", "guards: {cost: {at_most: +50%, floor: 0.01}}\n", "guards: {cost: {at_most: 3}}\n", []stats.Bound{set(cost, 3, .01, 0), latency}},
		{"a point is worth something", "prefer: {cost: 2%}\n", "prefer: {latency: 0.5}\n", []stats.Bound{set(cost, 1.1, .00005, .02), set(latency, 1.1, .05, .5)}},
		{"another metric", "guards: {tool_calls: {at_most: 1.5}, cost: off, latency: off}\n", "", []stats.Bound{{Name: "tool_calls", Of: stats.Mean, AtMost: 1.5, Floor: .1}}},
		{"deterministic", "guards: {latency: {at_most: 2}}\n", "deterministic: true\n", []stats.Bound{cost}},
		{"no floor", "guards: {latency: {floor: 0}}\n", "", []stats.Bound{cost, set(latency, 1.1, 0, 0)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := Load(build(t, spoil(map[string]string{
				"evolve.yaml": c.settings, "agents/solver/agent.yaml": goodHead + c.agent + "space: {level: {type: int, min: 1, max: 5, default: 2}}\n",
			})), testBuiltins())
			if err != nil {
				t.Fatal(err)
			}
			a, _ := w.Agent("solver")
			got := w.Bounds(a)
			for i := range got {
				got[i].AtMost = float64(int(got[i].AtMost*1e6+.5)) / 1e6
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
