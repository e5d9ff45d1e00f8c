package cli

import (
	"fmt"
	"strings"
	"testing"

	"evolve/bench"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// TestSummarize checks the mean of a bench run and its interval against those of `evolve
// variants --sort score`, and against Wilson's interval where the tasks are independent
// and passed or failed.
func TestSummarize(t *testing.T) {
	t.Parallel()
	const n = 60
	graded := func(i int) float64 { return []float64{0, .25, 1}[i%3] }
	passed := func(i int) float64 { return float64(i % 3 / 2) }
	for name, c := range map[string]struct {
		clusters int // 0 means that the tasks are independent
		weighted bool
		score    func(i int) float64
		wilson   bool
		words    string
	}{
		"independent":           {0, false, passed, true, ".333  [.227, .459] over 60 search tasks"},
		"with weights":          {0, true, passed, false, ""},
		"graded":                {0, false, graded, false, ""},
		"in clusters":           {12, true, graded, false, ""},
		"in three clusters":     {3, false, passed, false, ".333  over 60 search tasks; no interval: it takes at least 6 independent tasks, not 3"},
		"passed, in 5 clusters": {5, false, func(int) float64 { return 1 }, false, "1.000  over 60 search tasks; no interval: it takes at least 6 independent tasks, not 5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tasks []*bench.Task
			var v benchView
			byTask, byID := map[string][]float64{}, map[string]*bench.Task{}
			for i := range n {
				one := &bench.Task{ID: fmt.Sprint(i), Domain: "desk"}
				if c.clusters > 0 {
					one.Cluster = fmt.Sprint("c", i%c.clusters)
				}
				if c.weighted {
					one.Weight = float64(1 + i%4)
				}
				tasks, byTask[one.ID], byID[one.ID] = append(tasks, one), []float64{c.score(i)}, one
				v.Tasks = append(v.Tasks, taskScore{Task: one.ID, Scored: true, Score: c.score(i)})
			}
			v.summarize(tasks)
			if len(v.Domains) != 1 || v.Domains[0].words("") != v.words("") || v.Scored != n || v.Missing != 0 {
				t.Errorf("%+v", v)
			}
			want := meanScore(byTask, byID)
			if c.wilson {
				want.Lo, want.Hi = stats.Wilson(want.Mean, n, .95)
			}
			if v.Score != want.Mean || v.Clusters != want.Clusters {
				t.Errorf("the mean is %v over %d clusters, want %v over %d", v.Score, v.Clusters, want.Mean, want.Clusters)
			}
			if c.words != "" && v.words("60 search tasks") != c.words {
				t.Errorf("%q, want %q", v.words("60 search tasks"), c.words)
			}
			if strings.Contains(c.words, "no interval") {
				if v.Lo != nil || v.Hi != nil {
					t.Error("there is an interval")
				}
				return
			}
			if v.Lo == nil || *v.Lo != want.Lo || *v.Hi != want.Hi {
				t.Errorf("%s, want [%v, %v]", v.words("60"), want.Lo, want.Hi)
			}
		})
	}
	v := benchView{Tasks: []taskScore{{Outcome: agent.Infrastructure}}}
	if v.summarize([]*bench.Task{{ID: "a"}}); v.words("0 search tasks") != "–  no task has a score" || v.Missing != 1 {
		t.Errorf("without a score: %+v", v)
	}
}
