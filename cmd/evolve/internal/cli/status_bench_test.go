package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/wire"
	"evolve/runtime/agent"
)

// BenchmarkStatus measures `evolve status` as a separate process, from its start to its
// end, on an archive of 200,000 evaluations: while a run holds the archive, after the run,
// and when the run was killed and a first `evolve status` has recovered the archive. The
// run has recorded no end, so what it has spent must be determined. The bound is 100 ms.
func BenchmarkStatus(b *testing.B) {
	const evaluations = 200_000
	binary, root, a := emptyWorkspace(b)
	dir := wire.ArchiveDir(root)
	recordNight(b, a, evaluations)
	killed := b.TempDir()
	look := func(b *testing.B, root string) { lookAtStatus(b, binary, root) }
	b.Run("during a run", func(b *testing.B) { look(b, root) })
	if err := os.Remove(filepath.Join(dir, "readers.sock")); err != nil {
		b.Fatal(err)
	}
	if err := os.CopyFS(killed, os.DirFS(root)); err != nil { // what a kill leaves
		b.Fatal(err)
	}
	if err := a.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("afterwards", func(b *testing.B) { look(b, root) })
	if out, err := exec.Command(binary, "status", "-C", killed).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	b.Run("after a kill", func(b *testing.B) { look(b, killed) })
}

// emptyWorkspace makes a workspace with an open archive, and finds the evolve program.
func emptyWorkspace(b *testing.B) (binary, root string, a *archive.Archive) {
	b.Helper()
	binary, err := exec.LookPath("evolve") // this binary under another name: see TestMain
	if err != nil {
		b.Fatal(err)
	}
	root = b.TempDir()
	if err := os.WriteFile(filepath.Join(root, "evolve.yaml"), nil, 0o600); err != nil {
		b.Fatal(err)
	}
	dir := wire.ArchiveDir(root)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		b.Fatal(err)
	}
	if a, err = archive.Open(dir, archive.Options{Owner: "evolve run"}); err != nil {
		b.Fatal(err)
	}
	return binary, root, a
}

// BenchmarkStatusOfNights measures `evolve status` on an archive of 2,000 nights, each
// with a proposal and five ledger entries. In the latest night, there is a fall in the
// champion's scores to report. The bound is 100 ms.
func BenchmarkStatusOfNights(b *testing.B) {
	binary, root, a := emptyWorkspace(b)
	recordNights(b, a)
	if err := a.Close(); err != nil {
		b.Fatal(err)
	}
	lookAtStatus(b, binary, root)
}

// recordNights records 2,000 nights, each with a proposal and some ledger entries.
func recordNights(b *testing.B, a *archive.Archive) {
	b.Helper()
	const nights, entries = 2000, 5
	start := time.Unix(1_700_000_000, 0).UTC()
	fall := &archive.Watch{Nights: 5, Fall: &archive.Fall{Shift: stats.Shift{Difference: -.1, Tasks: 60}, ActiveChange: archive.ActiveChange{Since: start, Params: []string{"strategy"}}}}
	for n := range nights {
		id, at := fmt.Sprintf("%d-a", n+1), start.AddDate(0, 0, n)
		_, err := a.NewProposal(b.Context(), archive.ProposalRecord{Kind: archive.KindConfig, State: archive.Rejected, Agent: "solver", Run: id, Created: at})
		for _, err := range []error{
			err, a.PutRun(b.Context(), archive.Run{ID: id, Number: n + 1, State: archive.RunDone, Agents: []string{"solver"}, Started: at, Ended: at.Add(time.Hour)}),
			a.PutPlan(b.Context(), archive.AgentPlan{Run: id, Agent: "solver"}),
			a.PutResult(b.Context(), archive.AgentResult{Run: id, Agent: "solver", Verdict: archive.Keep, Finished: true, Watch: fall}),
		} {
			if err != nil {
				b.Fatal(err)
			}
		}
		for range entries {
			if _, err := a.Append(b.Context(), archive.LedgerEntry{Time: at, Kind: "bench.note", Actor: "evolve", Subject: id}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// lookAtStatus repeatedly runs `evolve status` and reports the time that it takes.
func lookAtStatus(b *testing.B, binary, root string) {
	b.Helper()
	var processor time.Duration
	for b.Loop() {
		cmd := exec.Command(binary, "status", "-C", root)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		processor += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	b.ReportMetric(float64(processor.Milliseconds())/float64(b.N), "processor-ms")
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms")
	b.ReportMetric(100, "bound-ms")
}

// recordNight records a run of the given number of evaluations, all different.
func recordNight(b *testing.B, a *archive.Archive, evaluations int) {
	b.Helper()
	ctx, run := b.Context(), archive.Run{ID: "1-a", Number: 1, State: archive.RunRunning, Agents: []string{"solver"}, BudgetEval: evaluations}
	var wg sync.WaitGroup
	const workers = 8
	for w := range workers {
		wg.Go(func() {
			for seq := w; seq < evaluations; seq += workers {
				err := a.Record(ctx, bench.Evaluation{
					Run: run.ID, Agent: "solver", Seq: int64(seq), Stage: bench.StageSearch, Split: bench.Search, Task: fmt.Sprintf("t%d", seq%200),
					Key: bench.Key(fmt.Sprintf("%032x", seq)), Variant: agent.ConfigID(fmt.Sprintf("%032x", seq/200)),
					Outcome: agent.OK, Scored: true, Score: float64(seq%2) / 2, Answer: "an answer", Time: time.Unix(1_790_000_000, 0).UTC(),
				}, nil)
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	for _, err := range []error{
		a.Flush(ctx), a.PutRun(ctx, run), a.PutPlan(ctx, archive.AgentPlan{Run: run.ID, Agent: "solver"}),
		a.PutResult(ctx, archive.AgentResult{Run: run.ID, Agent: "solver", Verdict: archive.Keep}),
	} {
		if err != nil {
			b.Fatal(err)
		}
	}
}
