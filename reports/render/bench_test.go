package render

import (
	"testing"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
)

// BenchmarkBuild builds the report of a run of 50,000 search evaluations and 2,000
// variants.
func BenchmarkBuild(b *testing.B) {
	w := adoptWorld(b, 0)
	w.run.State = archive.RunRunning
	seen := tasks("s", 60, "engineering", "operations")
	ids := make([]agent.ConfigID, 2000)
	for i := range ids {
		ids[i] = w.variant("helpdesk", "numeric", config(.0001*float64(i), []string{"recall"}, strategy))
	}
	for i := range 50_000 {
		w.evaluate("helpdesk", trial{variant: ids[i%len(ids)], task: seen[i%len(seen)], repeat: i / len(ids), stage: bench.StageSearch, chance: .6})
	}
	w.end()
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		w.report()
	}
}
