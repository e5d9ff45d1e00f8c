package render

import (
	"bytes"
	"fmt"
	"testing"
	"time"

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

// BenchmarkPage builds the report of 500 holdout tasks in 30 domains and 2,000 variants
// with 50,000 search evaluations, and renders its page. The bounds are 3 s and 5 MB.
func BenchmarkPage(b *testing.B) {
	w := newWorld(b, 0)
	w.open(6, "helpdesk")
	champion := w.variant("helpdesk", "default", config(.62, []string{"recall"}, strategy))
	ids := make([]agent.ConfigID, 2000)
	for i := range ids {
		ids[i] = w.variant("helpdesk", "numeric", config(.0001*float64(i), []string{"recall"}, strategy))
	}
	var domains []string
	for i := range 30 {
		domains = append(domains, fmt.Sprintf("%02d of thirty subject areas", i))
	}
	plan := w.plan("helpdesk", champion, archive.AgentPlan{Search: 50_000, Confirm: 6000, Finalists: 2, Repeats: 3, SearchTasks: 60, HoldoutTasks: 500, Detectable: .03})
	res := w.confirm(contest{
		plan: plan, champion: champion, finalists: ids[:2], claimed: []float64{.11, .08}, holdout: tasks("h", 500, domains...), blocks: 3,
		chance: func(arm int, task task, i int) float64 { return .3 + .1*float64(i%5) + .12*float64(arm) },
	})
	res.Search = w.search("helpdesk", champion, ids, nil, tasks("s", 60, domains...), func(i int) float64 { return .6 })
	w.must(w.a.PutResult(w.ctx, res))
	w.end()
	b.ReportAllocs()
	b.ResetTimer()
	var page bytes.Buffer
	began := time.Now()
	for b.Loop() {
		page.Reset()
		w.must(HTML(&page, w.report()))
	}
	b.ReportMetric(time.Since(began).Seconds()/float64(b.N), "s/page")
	b.ReportMetric(3, "aim-s/page")
	b.ReportMetric(float64(page.Len())/1e6, "MB")
	b.ReportMetric(5, "aim-MB")
}

// BenchmarkIndex renders the index of 400 nights of three agents.
func BenchmarkIndex(b *testing.B) {
	runs := manyNights(400)
	b.ReportAllocs()
	var page bytes.Buffer
	for b.Loop() {
		page.Reset()
		if err := Index(&page, runs); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(page.Len())/1e6, "MB")
	b.ReportMetric(1, "aim-MB")
}
