package archived_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
)

// large is the folder into which TestLargeArchive writes an archive, to be looked at in a
// browser.
var large = flag.String("large", "", "write an archive of 5,000 variants by 500 tasks into this `DIR`")

// TestLargeArchive writes the archive whose pages the browser check scrolls through.
func TestLargeArchive(t *testing.T) {
	if *large == "" {
		t.Skip("-large names no folder")
	}
	if err := os.MkdirAll(*large, 0o755); err != nil {
		t.Fatal(err)
	}
	record(t, filepath.Join(*large, ".evolve", "archive"), 5000, 500)
	if err := os.WriteFile(filepath.Join(*large, "evolve.yaml"), []byte("budget: {evaluations: 1}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// hostile is a text that a page must show and not obey.
const hostile = "</pre><script>alert(1)</script><img src=x onerror=alert(2)> \x1b[31m \u202egnp.exe"

// record writes the archive of one night in which every variant ran on every task once:
// the first nine tenths of the tasks in the search, and the other tasks in the
// confirmation. The text of the first variant and the first task is hostile.
func record(tb testing.TB, dir string, variants, tasks int) {
	tb.Helper()
	ctx := context.Background()
	must := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	a, err := archive.Open(dir, archive.Options{})
	must(err)
	night := time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)
	run := archive.Run{ID: "1-1a4be123", Number: 1, State: archive.RunDone, Started: night, Ended: night.Add(time.Hour), Agents: []string{"solver"}}
	must(a.PutRun(ctx, run))
	rng := rand.New(rand.NewPCG(3, 5))
	search, confirm := int64(0), bench.ConfirmSeq
	for v := range variants {
		c := agent.Config{"threshold": float64(v) / float64(variants)}
		operator, reason := "mutate", fmt.Sprintf("try %d", v)
		if v == 0 {
			operator, reason, c["strategy"] = hostile, hostile, hostile
		}
		stored, err := a.RecordVariant(ctx, archive.Variant{ID: c.ID(), Agent: "solver", Config: c, Operator: operator, Rationale: reason, Run: run.ID, Time: night}, nil)
		must(err)
		skill := rng.Float64()
		for n := range tasks {
			e := bench.Evaluation{
				Run: run.ID, Agent: "solver", Seq: search, Variant: stored.ID, Task: fmt.Sprintf("task-%03d", n), Domain: "desk", Split: bench.Search, Stage: bench.StageSearch,
				Key: bench.Key(fmt.Sprintf("%032x", v*tasks+n)), Outcome: agent.OK, Scored: true, Time: night,
			}
			if n == 0 {
				e.Task = hostile
			}
			if n == 0 && v == 0 {
				e.Answer, e.Transcript = hostile, &agent.Transcript{Events: []agent.Event{{Kind: agent.EventModel, Name: hostile, Text: hostile}}}
			}
			if n >= tasks*9/10 {
				e.Split, e.Stage, e.Seq = bench.Holdout, bench.StageConfirm, confirm
				confirm++
			} else {
				search++
			}
			if rng.Float64() < skill {
				e.Score, e.Pass = 1, true
			}
			must(a.Record(ctx, e, nil))
		}
	}
	must(a.Flush(ctx))
	must(a.Close())
}
