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

// spend runs a search of the given number of evaluations with an agent and a real archive.
func spend(b testing.TB, a agent.Agent, evaluations, concurrency int, ordered bool, newSearch func(mutate.Options) (mutate.Searcher, error)) {
	b.Helper()
	spendAhead(b, a, evaluations, concurrency, 64, ordered, newSearch)
}

// spendAhead is like spend, but with the given lookahead.
func spendAhead(b testing.TB, a agent.Agent, evaluations, concurrency, lookahead int, ordered bool, newSearch func(mutate.Options) (mutate.Searcher, error)) {
	b.Helper()
	w := toyWorkspace(b, 200)
	w.Agents[0].Deterministic, w.Agents[0].UsesSeed = ordered, !ordered
	o := toyOptions(w, diskArchive(b), a, evaluations)
	o.Concurrency, o.Lookahead, o.Stages, o.NewSearch = concurrency, lookahead, []string{SearchStage}, newSearch
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

// sweep is a search that takes no time. It asks for every task once, with one config after
// another.
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

// searches are the measured cases: the harness without a real search, and with the search
// of a night.
var searches = map[string]func(mutate.Options) (mutate.Searcher, error){"harness": newSweep, "night": nil}

// BenchmarkPersisted measures the whole path of an evaluation with an agent that takes no
// time: ask, cache look-up, run, grade, record on disk, tell. It uses two searches: one
// that takes no time either, so that only the harness is measured, and the search of a
// night. The bound for the harness is 10,000 a second on two cores.
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

// BenchmarkMakespan makes 1,000 evaluations of 100 ms at concurrency 200. The ideal is half
// a second, and the bound is 1.3 times the ideal.
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

// memoryRun is the environment variable that makes the benchmark's own binary, when started
// again, run the given number of evaluations.
const memoryRun = "EVOLVE_MEMORY_RUN"

// TestMemoryRun is a part of BenchmarkMemory, not a separate test.
func TestMemoryRun(t *testing.T) {
	var n int
	if _, err := fmt.Sscan(os.Getenv(memoryRun), &n); err != nil {
		t.Skip("only for BenchmarkMemory")
	}
	if resident(t, "VmHWM") == 0 {
		t.Skip("the system does not tell the size of a process")
	}
	ended, looked := make(chan bool), make(chan [2]int)
	go func() {
		var most [2]int
		for tick := time.Tick(50 * time.Millisecond); ; {
			select {
			case <-tick:
				for i, of := range []string{"RssAnon", "RssFile"} {
					most[i] = max(most[i], resident(t, of))
				}
			case <-ended:
				looked <- most
				return
			}
		}
	}()
	spend(t, toyAgent(200), n, 64, true, nil)
	close(ended)
	most := <-looked
	fmt.Printf("\npeak %d %d %d kB\n", resident(t, "VmHWM"), most[0], most[1])
}

// resident returns one of the figures of the process's memory, in kB.
func resident(t testing.TB, of string) (kb int) {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, of+":"); ok {
			if _, err := fmt.Sscan(rest, &kb); err != nil {
				t.Error(err)
			}
		}
	}
	return kb
}

// BenchmarkMemory reports the peak memory of a night's search that makes the given number
// of persisted evaluations, with the heap collected as in the program. It reports the
// memory of the whole process, its anonymous memory, and its mapped files. Some 36 MB of
// the mapped files is the program itself. The rest are files of the archive, whose pages
// the system reclaims when it needs them. The bound is 120 MB, even for 1,000,000
// evaluations. At that number the anonymous memory stays within the bound, but the whole
// process does not.
func BenchmarkMemory(b *testing.B) {
	for _, n := range []int{20_000, 200_000, 1_000_000} {
		b.Run(fmt.Sprintf("evaluations=%d", n), func(b *testing.B) {
			var top [3]int
			for b.Loop() {
				cmd := exec.Command(os.Args[0], "-test.run", "^TestMemoryRun$", "-test.v")
				cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", memoryRun, n), "GOGC=40")
				out, err := cmd.CombinedOutput()
				if err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
				_, after, _ := strings.Cut(string(out), "\npeak ")
				var kb [3]int
				if _, err := fmt.Sscan(after, &kb[0], &kb[1], &kb[2]); err != nil {
					b.Fatalf("%v in\n%s", err, out)
				}
				for i := range top {
					top[i] = max(top[i], kb[i])
				}
			}
			for i, of := range []string{"peak-MB", "anonymous-MB", "file-MB"} {
				b.ReportMetric(float64(top[i])/1024, of)
			}
			b.ReportMetric(120, "bound-MB")
		})
	}
}
