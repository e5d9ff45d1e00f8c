package workspace

import (
	"fmt"

	"evolve/bench"
)

// written returns what evolve.yaml and then agent.yaml state about the guard on a metric.
func (w *Workspace) written(a *Agent, metric string) []Guard {
	var out []Guard
	for _, g := range []Guards{w.Settings.Guards, a.Guards} {
		if said, ok := g[metric]; ok {
			out = append(out, said)
		}
	}
	return out
}

// WrittenGuards returns the metrics that have a guard because evolve.yaml or agent.yaml
// states one. The result includes guards that cannot be judged.
func (w *Workspace) WrittenGuards(a *Agent) []string {
	var out []string
	for _, m := range bench.Metrics() {
		if said := w.written(a, m.Name); len(said) > 0 && !said[len(said)-1].Off {
			out = append(out, m.Name)
		}
	}
	return out
}

// unjudged reports whether a guard on the metric cannot be judged for the agent.
func unjudged(a *Agent, metric string) bool {
	return metric == bench.MetricLatency && a.Deterministic
}

// UnjudgedGuards returns one sentence for each guard that is written in the settings and
// cannot be judged.
func (w *Workspace) UnjudgedGuards(a *Agent) []string {
	var out []string
	for _, metric := range w.WrittenGuards(a) {
		if !unjudged(a, metric) {
			continue
		}
		file := "evolve.yaml"
		if _, own := a.Guards[metric]; own {
			file = "agent.yaml"
		}
		out = append(out, fmt.Sprintf("the guard on %s in %s is not judged, because %s is deterministic: its runs repeat byte for byte, but their measured times differ", metric, file, a.ID))
	}
	return out
}
