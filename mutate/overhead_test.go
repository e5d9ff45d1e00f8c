//go:build unix

package mutate

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// BenchmarkOverhead measures the overhead of a search: the CPU milliseconds per evaluation,
// with the bound that they should stay within, and the memory in use at the end.
func BenchmarkOverhead(b *testing.B) {
	for _, c := range []struct {
		params, tasks, repeats, budget int
		bound                          float64 // ms; 0 for none
	}{
		{12, 80, 0, 2_000, 0.3},
		{25, 100, 0, 8_000, 2.5},
		{30, 100, 0, 10_000, 5},
		{300, 200, 0, 2_000, 0},
		{12, 10, 1, 200_000, 0},
		{12, 5_000, 1, 200_000, 0},
		{3, 1, 1, 20_000, 0},
	} {
		b.Run(fmt.Sprintf("%dx%dx%d/%d", c.params, c.tasks, c.repeats, c.budget), func(b *testing.B) {
			var before, after runtime.MemStats
			spent := time.Duration(0)
			for b.Loop() {
				runtime.GC()
				runtime.ReadMemStats(&before)
				start := processorTime(b)
				s, err := New(Options{Space: mixedSpace(c.params), Champion: mixedSpace(c.params).Default(), Tasks: makeTasks(c.tasks), Budget: c.budget, MaxRepeats: c.repeats, Seed: 1})
				if err != nil {
					b.Fatal(err)
				}
				rng := rand.New(rand.NewPCG(1, 2))
				for {
					tr, status := s.Ask()
					if status != Ready {
						break
					}
					score := 0.0
					if rng.Float64() < 0.2+0.5*tr.Config.Float("p0", 0) {
						score = 1
					}
					s.Tell(Observation{Trial: tr, Scored: true, Score: score})
				}
				spent += processorTime(b) - start
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(s.Recommend().Variants), "variants")
			}
			b.ReportMetric(spent.Seconds()*1000/float64(b.N*c.budget), "cpu-ms/eval")
			b.ReportMetric(c.bound, "bound-ms")
			b.ReportMetric((float64(after.HeapAlloc)-float64(before.HeapAlloc))/1e6, "MB-held")
		})
	}
}

// processorTime returns the CPU time that the process has used.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
