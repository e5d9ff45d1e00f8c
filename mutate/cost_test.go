package mutate

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"evolve/runtime/agent"
)

// BenchmarkCost is what a search costs by itself for each evaluation, and the
// memory it holds at the end, for spaces and suites from tiny to large.
func BenchmarkCost(b *testing.B) {
	for _, c := range []struct{ params, tasks, repeats, budget int }{
		{12, 80, 0, 2_000},
		{12, 80, 0, 20_000},
		{12, 80, 0, 200_000},
		{12, 5_000, 1, 200_000},
		{300, 200, 0, 20_000},
		{300, 200, 0, 200_000},
		{3, 1, 1, 20_000},
		{12, 10, 1, 200_000},
	} {
		b.Run(fmt.Sprintf("%dx%dx%d/%d", c.params, c.tasks, c.repeats, c.budget), func(b *testing.B) {
			var before, after runtime.MemStats
			for b.Loop() {
				runtime.GC()
				runtime.ReadMemStats(&before)
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
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(s.Recommend().Variants), "variants")
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*c.budget), "µs/eval")
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB-held")
		})
	}
}

// mixedSpace has so many parameters of every kind.
func mixedSpace(n int) agent.Space {
	var s agent.Space
	for i := range n {
		p := agent.Param{Name: fmt.Sprintf("p%d", i)}
		switch i % 6 {
		case 0:
			p.Kind, p.Max, p.Default = agent.Float, 1, 0.5
		case 1:
			p.Kind, p.Min, p.Max, p.Log, p.Default = agent.Int, 1, 1000, true, int64(10)
		case 2:
			p.Kind, p.Values, p.Default = agent.Choice, []any{"a", "b", int64(3)}, "a"
		case 3:
			p.Kind, p.Default = agent.Bool, false
		case 4:
			p.Kind, p.Of, p.MinItems, p.Default = agent.Subset, []string{"u", "v", "w"}, 1, []string{"u"}
		case 5:
			p.Kind, p.Min, p.Max, p.Default = agent.Float, -2, 2, 0.0
			p.When = map[string][]any{fmt.Sprintf("p%d", i-2): {false}}
		}
		s.Params = append(s.Params, p)
	}
	return s
}

func makeTasks(n int) []Task {
	list := make([]Task, n)
	for i := range list {
		list[i] = Task{ID: fmt.Sprintf("t%d", i), Weight: 1}
	}
	return list
}

// newSearch is New for tests that look inside.
func newSearch(t testing.TB, o Options) *search {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*search)
}
