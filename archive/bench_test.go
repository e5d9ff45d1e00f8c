package archive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"evolve/bench"
	"evolve/runtime/agent"
)

// nightly is an evaluation with a key and an answer like those of a real night: text that
// repeats only in part.
func nightly(run string, seq int64) bench.Evaluation {
	e := evaluation(run, seq)
	e.Key = bench.Key(fmt.Sprintf("%016x%016x%016x%016x", mix(seq), mix(seq+1<<32), mix(seq+2<<32), mix(seq+3<<32)))
	e.Answer = fmt.Sprintf("the answer to %s is %x", e.Task, mix(seq)%4096)
	return e
}

// mix is the finaliser of SplitMix64. It returns pseudo-random numbers that are the same in
// each run.
func mix(n int64) uint64 {
	x := uint64(n) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func recordMany(tb testing.TB, a *Archive, run string, n int, withTranscript bool) {
	tb.Helper()
	ctx := context.Background()
	var wg sync.WaitGroup
	const workers = 8
	for w := range workers {
		wg.Go(func() {
			for seq := int64(w); seq < int64(n); seq += workers {
				e := nightly(run, seq)
				if withTranscript {
					e.Transcript = transcript(fmt.Sprintf("recall 5 memories, score %x %x, choose tool search, answer %s", mix(seq), mix(seq+9), e.Answer))
				}
				if err := a.Record(ctx, e, nil); err != nil {
					tb.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if err := a.Flush(ctx); err != nil {
		tb.Fatal(err)
	}
}

// procStatus returns one of the process's memory figures from /proc, in megabytes.
func procStatus(tb testing.TB, field string) float64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		tb.Skip(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			var kb float64
			fmt.Sscan(rest, &kb)
			return kb / 1024
		}
	}
	return 0
}

func BenchmarkRecord(b *testing.B) {
	for _, withTranscript := range []bool{false, true} {
		b.Run(fmt.Sprintf("transcripts=%v", withTranscript), func(b *testing.B) {
			a, err := Open(b.TempDir(), Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			recordMany(b, a, "1-a", b.N, withTranscript)
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "evaluations/s")
			for _, f := range []string{"VmHWM", "RssAnon", "RssFile", "RssShmem"} {
				b.ReportMetric(procStatus(b, f), f+"-MB")
			}
			if err := a.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkRead measures the reads that a person waits for, on an archive of 200,000
// evaluations.
func BenchmarkRead(b *testing.B) {
	const n = 200_000
	ctx := context.Background()
	dir := b.TempDir()
	a, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	recordMany(b, a, "1-a", n, true)
	again := func(run string) { // a run that found everything in the cache
		for seq := range int64(n) {
			e := nightly(run, seq)
			e.Cached = true
			if err := a.Record(ctx, e, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
	again("2-b")
	for i, id := range []string{"1-a", "2-b"} {
		err := errors.Join(
			a.PutRun(ctx, Run{ID: id, Number: i + 1, State: RunDone, Agents: []string{"solver"}}),
			a.PutPlan(ctx, AgentPlan{Run: id, Agent: "solver"}),
			a.PutResult(ctx, AgentResult{Run: id, Agent: "solver", Verdict: Keep}))
		if _, err2 := a.NewProposal(ctx, ProposalRecord{State: Awaiting}); errors.Join(err, err2) != nil {
			b.Fatal(err, err2)
		}
	}
	status := func(b *testing.B) {
		for b.Loop() {
			r, err := OpenRead(dir)
			if err != nil {
				b.Fatal(err)
			}
			run, err1 := r.Run(ctx, "")
			_, err2 := r.Plan(ctx, run.ID, "solver")
			_, err3 := r.Result(ctx, run.ID, "solver")
			for _, err := range r.Proposals(ctx) {
				if err != nil {
					b.Fatal(err)
				}
			}
			if err := errors.Join(err1, err2, err3, r.Close()); err != nil {
				b.Fatal(err)
			}
		}
	}
	scan := func(run string) func(b *testing.B) {
		return func(b *testing.B) {
			r, err := OpenRead(dir)
			if err != nil {
				b.Fatal(err)
			}
			defer r.Close()
			for b.Loop() {
				count := 0
				for _, err := range r.Evaluations(ctx, run, "solver") {
					if err != nil {
						b.Fatal(err)
					}
					count++
				}
				if count != n {
					b.Fatalf("%d evaluations", count)
				}
			}
		}
	}
	b.Run("status/socket", status)
	b.Run("scan/socket", scan("1-a"))
	b.Run("scan-references/socket", scan("2-b"))
	if err := a.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("status/direct", status)
	b.Run("scan/direct", scan("1-a"))
	b.Run("scan-references/direct", scan("2-b"))
}

// BenchmarkPutVariant measures consecutive synced writes.
func BenchmarkPutVariant(b *testing.B) {
	a, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	n := int64(0)
	for b.Loop() {
		n++
		if _, err := a.PutVariant(context.Background(), Variant{Agent: "solver", Config: agent.Config{"k": n}}); err != nil {
			b.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		b.Fatal(err)
	}
}
