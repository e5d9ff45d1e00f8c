package nightly

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/runtime/agent"
)

// spend runs a search of so many evaluations with an agent and a real archive.
func spend(b testing.TB, a agent.Agent, evaluations, concurrency int, ordered bool) {
	b.Helper()
	w := toyWorkspace(b, 200)
	w.Agents[0].Deterministic, w.Agents[0].UsesSeed = ordered, !ordered
	o := toyOptions(w, diskArchive(b), a, evaluations)
	o.Concurrency, o.Lookahead, o.Stages = concurrency, 64, []string{SearchStage}
	s, err := Run(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	if n := s.Results[0].Search.Evaluations; n != evaluations || s.Run.State != archive.RunDone {
		b.Fatalf("%d evaluations, %s: %s", n, s.Run.State, s.Run.Reason)
	}
}

// BenchmarkPersisted is the whole way of an evaluation with an agent that takes no
// time: ask, cache look-up, run, grade, record on disk, tell. The bound is 10,000
// a second on two cores.
func BenchmarkPersisted(b *testing.B) {
	for _, concurrency := range []int{8, 64} {
		b.Run(fmt.Sprintf("concurrency=%d", concurrency), func(b *testing.B) {
			const evaluations = 20_000
			for b.Loop() {
				spend(b, toyAgent(200), evaluations, concurrency, true)
			}
			b.ReportMetric(float64(evaluations)*float64(b.N)/b.Elapsed().Seconds(), "evals/s")
			b.ReportMetric(10_000, "bound-evals/s")
		})
	}
}

// BenchmarkMakespan is 1,000 evaluations of 100 ms at concurrency 200, against the
// ideal of half a second. The bound is 1.3 times that.
func BenchmarkMakespan(b *testing.B) {
	const evaluations, concurrency, each = 1_000, 200, 100 * time.Millisecond
	slow := inProcess(func(ctx context.Context, req agent.Request) agent.Result {
		select {
		case <-time.After(each):
		case <-ctx.Done():
		}
		return toyAgent(200)(ctx, req)
	})
	for b.Loop() {
		spend(b, slow, evaluations, concurrency, false)
	}
	ideal := float64(evaluations/concurrency) * each.Seconds()
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/ideal, "×ideal")
	b.ReportMetric(1.3, "bound-×ideal")
}

// memoryRun is the variable by which the benchmark asks its own binary, started
// again, for a run of that many evaluations.
const memoryRun = "EVOLVE_MEMORY_RUN"

// TestMemoryRun is not a test of its own: see BenchmarkMemory.
func TestMemoryRun(t *testing.T) {
	var n int
	if _, err := fmt.Sscan(os.Getenv(memoryRun), &n); err != nil {
		t.Skip("only for BenchmarkMemory")
	}
	spend(t, toyAgent(200), n, 64, true)
	fmt.Printf("\npeak %d kB\n", peak(t))
}

// peak is the largest resident size that the process has had, in kB.
func peak(t testing.TB) (kb int) {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			if _, err := fmt.Sscan(rest, &kb); err != nil {
				t.Fatal(err)
			}
		}
	}
	return kb
}

// BenchmarkMemory is the peak memory of a process that makes 20,000 and 200,000
// persisted evaluations. The bound is 150 MB, and no growth between the two.
func BenchmarkMemory(b *testing.B) {
	for _, n := range []int{20_000, 200_000} {
		b.Run(fmt.Sprintf("evaluations=%d", n), func(b *testing.B) {
			top := 0
			for b.Loop() {
				cmd := exec.Command(os.Args[0], "-test.run", "^TestMemoryRun$", "-test.v")
				cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", memoryRun, n))
				out, err := cmd.CombinedOutput()
				if err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
				_, after, _ := strings.Cut(string(out), "\npeak ")
				var kb int
				if _, err := fmt.Sscan(after, &kb); err != nil {
					b.Fatalf("%v in\n%s", err, out)
				}
				top = max(top, kb)
			}
			b.ReportMetric(float64(top)/1024, "peak-MB")
			b.ReportMetric(150, "bound-MB")
		})
	}
}
