package batch

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// spend runs a search of so many evaluations with an agent and a real archive.
func spend(b testing.TB, a agent.Agent, evaluations, concurrency int, ordered bool, newSearch func(mutate.Options) (mutate.Searcher, error)) {
	b.Helper()
	w := toyWorkspace(b, 200)
	w.Agents[0].Deterministic, w.Agents[0].UsesSeed = ordered, !ordered
	o := toyOptions(w, diskArchive(b), a, evaluations)
	o.Concurrency, o.Lookahead, o.Stages, o.NewSearch = concurrency, 64, []string{SearchStage}, newSearch
	s, err := Run(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	if n := s.Results[0].Search.Evaluations; n != evaluations || s.Run.State != archive.RunDone {
		b.Fatalf("%d evaluations, %s: %s", n, s.Run.State, s.Run.Reason)
	}
	made := 0
	for e, err := range o.Archive.Evaluations(b.Context(), s.Run.ID, "toy") {
		if err != nil {
			b.Fatal(err)
		}
		if !e.Cached {
			made++
		}
	}
	if made != evaluations {
		b.Fatalf("%d of %d evaluations are on record as made", made, evaluations)
	}
}

// sweep is a search that takes no time: every task once, with one config after another.
type sweep struct {
	o    mutate.Options
	next int
}

func newSweep(o mutate.Options) (mutate.Searcher, error) { return &sweep{o: o}, nil }

func (s *sweep) Ask() (mutate.Trial, mutate.Status) {
	if s.next == s.o.Budget {
		return mutate.Trial{}, mutate.Done
	}
	c := maps.Clone(s.o.Champion)
	c["reach"] = float64(s.next/len(s.o.Tasks)*len(s.o.Tasks)) / float64(s.o.Budget)
	t := mutate.Trial{N: int64(s.next), Variant: c.ID(), Config: c, Task: s.o.Tasks[s.next%len(s.o.Tasks)].ID, Stage: bench.StageSearch}
	s.next++
	return t, mutate.Ready
}

func (s *sweep) Tell(mutate.Observation) {}

func (s *sweep) Resize(budget int) { s.o.Budget = budget }

func (*sweep) Hindsight([]mutate.Moment) mutate.Hindsight { return mutate.Hindsight{} }

func (s *sweep) Recommend() mutate.Recommendation {
	e := mutate.Estimate{Variant: s.o.Champion.ID(), Config: s.o.Champion, Evaluations: 1}
	return mutate.Recommendation{Champion: e, Best: e}
}

// searches are the measured cases: the harness alone, and with the search of a night.
var searches = map[string]func(mutate.Options) (mutate.Searcher, error){"harness": newSweep, "night": nil}

// BenchmarkPersisted measures the whole path of an evaluation with an agent that takes no
// time: ask, cache look-up, run, grade, record on disk, tell; with a search that takes
// none either, which measures the harness alone, and with the search of a night. The
// bound of the harness is 10,000 a second on two cores.
func BenchmarkPersisted(b *testing.B) {
	for name, newSearch := range searches {
		for _, concurrency := range []int{8, 64} {
			b.Run(fmt.Sprintf("%s/concurrency=%d", name, concurrency), func(b *testing.B) {
				const evaluations = 20_000
				for b.Loop() {
					spend(b, toyAgent(200), evaluations, concurrency, true, newSearch)
				}
				b.ReportMetric(float64(evaluations)*float64(b.N)/b.Elapsed().Seconds(), "evals/s")
				if newSearch != nil {
					b.ReportMetric(10_000, "bound-evals/s")
				}
			})
		}
	}
}

// BenchmarkMakespan makes 1,000 evaluations of 100 ms at concurrency 200; the ideal is
// half a second and the bound 1.3 times that.
func BenchmarkMakespan(b *testing.B) {
	const evaluations, concurrency, each = 1_000, 200, 100 * time.Millisecond
	slow := inProcess(func(ctx context.Context, req agent.Request) agent.Result {
		select {
		case <-time.After(each):
		case <-ctx.Done():
		}
		return toyAgent(200)(ctx, req)
	})
	ideal := float64(evaluations/concurrency) * each.Seconds()
	for name, newSearch := range searches {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				spend(b, slow, evaluations, concurrency, false, newSearch)
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/ideal, "×ideal")
			if newSearch != nil {
				b.ReportMetric(1.3, "bound-×ideal")
			}
		})
	}
}

// memoryRun is the environment variable that makes the benchmark's own binary, started
// again, run so many evaluations.
const memoryRun = "EVOLVE_MEMORY_RUN"

// TestMemoryRun is a part of BenchmarkMemory, not a test of its own.
func TestMemoryRun(t *testing.T) {
	var n int
	if _, err := fmt.Sscan(os.Getenv(memoryRun), &n); err != nil {
		t.Skip("only for BenchmarkMemory")
	}
	spend(t, toyAgent(200), n, 64, true, nil)
	fmt.Printf("\npeak %d kB\n", peak(t))
}

// peak returns the maximum resident size of the process, in kB.
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

// BenchmarkMemory reports the peak memory of a process that makes so many persisted
// evaluations, with the heap collected as in the program. Some 40 MB of it is the program's
// own file, and up to 80 MB are mapped files of the archive, whose pages the system takes
// back when it needs them. The bound is 120 MB, also for 1,000,000 evaluations: it is not
// reached yet.
func BenchmarkMemory(b *testing.B) {
	for _, n := range []int{20_000, 200_000, 1_000_000} {
		b.Run(fmt.Sprintf("evaluations=%d", n), func(b *testing.B) {
			top := 0
			for b.Loop() {
				cmd := exec.Command(os.Args[0], "-test.run", "^TestMemoryRun$", "-test.v")
				cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", memoryRun, n), "GOGC=40")
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
			b.ReportMetric(120, "bound-MB")
		})
	}
}
