package workspace

import (
	"slices"
	"strings"
	"testing"
)

// TestUnjudgedGuards checks a guard on latency that a file sets for a deterministic
// agent. The guard must be named together with the file, and no other guard may be named.
func TestUnjudgedGuards(t *testing.T) {
	for _, c := range []struct {
		name, settings, agent string
		written               []string
		want                  string // part of the only expected sentence; empty if none is expected
	}{
		{"nothing said", "", "deterministic: true\n", nil, ""},
		{"not deterministic", "guards: {latency: {at_most: 2}}\n", "", []string{"latency"}, ""},
		{"in evolve.yaml", "guards: {latency: {at_most: 2}}\n", "deterministic: true\n", []string{"latency"}, "the guard on latency in evolve.yaml is not judged, because solver is deterministic"},
		{"in agent.yaml", "guards: {cost: off}\n", "deterministic: true\nguards: {latency: {floor: 20ms}}\n", []string{"latency"}, "the guard on latency in agent.yaml"},
		{"off", "guards: {latency: off, cost: {at_most: 2}}\n", "deterministic: true\n", []string{"cost"}, ""},
		{"off for the agent", "guards: {latency: {at_most: 2}}\n", "deterministic: true\nguards: {latency: off}\n", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := Load(build(t, spoil(map[string]string{
				"evolve.yaml": c.settings, "agents/solver/agent.yaml": goodHead + c.agent + "space: {level: {type: int, min: 1, max: 5, default: 2}}\n",
			})), testBuiltins())
			if err != nil {
				t.Fatal(err)
			}
			a, _ := w.Agent("solver")
			if got := w.WrittenGuards(a); !slices.Equal(got, c.written) {
				t.Errorf("the written guards are %q, want %q", got, c.written)
			}
			got := w.UnjudgedGuards(a)
			if (c.want == "") != (len(got) == 0) || len(got) > 1 || !strings.Contains(strings.Join(got, ""), c.want) {
				t.Errorf("the sentences are %q, want %q", got, c.want)
			}
		})
	}
}
