package night

import (
	"fmt"
	"slices"
	"testing"

	"evolve/bench"
	"evolve/runtime/agent"
)

// TestDigestsOfTasks tests that the digest of a task depends on its question, answer and
// judges, and on nothing else.
func TestDigestsOfTasks(t *testing.T) {
	digest := func(change func(s *bench.Suite)) string {
		s := &bench.Suite{Name: "s", Tasks: []bench.Task{
			{ID: "t", Goal: "2 + 2?", Answer: new("4"), Split: bench.Search}, {ID: "hidden", Goal: "3 + 3?", Answer: new("6"), Split: bench.Holdout},
		}}
		change(s)
		d := (&Agent{Suites: []*bench.Suite{s}}).Sample().Digests()
		if d["hidden"] != "" {
			t.Error("a holdout task has a digest")
		}
		return d["t"]
	}
	is := digest(func(*bench.Suite) {})
	for name, c := range map[string]struct {
		change func(s *bench.Suite)
		other  bool
	}{
		"weight":       {func(s *bench.Suite) { s.Tasks[0].Weight = 3 }, false},
		"cluster":      {func(s *bench.Suite) { s.Tasks[0].Cluster = "sums" }, false},
		"another task": {func(s *bench.Suite) { s.Tasks = append(s.Tasks, bench.Task{ID: "new", Split: bench.Search}) }, false},
		"suite's name": {func(s *bench.Suite) { s.Name = "other" }, false},
		"question":     {func(s *bench.Suite) { s.Tasks[0].Goal = "2 + 3?" }, true},
		"answer":       {func(s *bench.Suite) { s.Tasks[0].Answer = new("5") }, true},
		"judges":       {func(s *bench.Suite) { s.BindJudges("another model") }, true},
	} {
		if got := digest(c.change); got == "" || got != is != c.other {
			t.Errorf("%s: digest %q after %q", name, got, is)
		}
	}
}

// TestPanelStays tests that reruns take the tasks of earlier nights first, that tasks are
// taken evenly from a new suite, and that an additional task does not affect the
// selection of the other tasks.
func TestPanelStays(t *testing.T) {
	suite := func(n int) (out []*bench.Task) {
		for i := range n {
			out = append(out, &bench.Task{ID: fmt.Sprint(i)})
		}
		return out
	}
	known := map[string]int{"0": 3, "5": 3, "10": 3, "15": 3, "7": 1, "8": 1, "9": 1}
	for name, c := range map[string]struct {
		tasks, k int
		nights   map[string]int
		want     []string
	}{
		"first night":   {20, 4, nil, []string{"0", "5", "10", "15"}},
		"the next":      {20, 4, known, []string{"0", "5", "10", "15"}},
		"a task more":   {21, 4, known, []string{"0", "5", "10", "15"}},
		"fewer reruns":  {21, 2, known, []string{"0", "10"}},
		"more reruns":   {21, 5, known, []string{"0", "5", "7", "10", "15"}},
		"all there are": {3, 5, known, []string{"0", "1", "2"}},
		"no room":       {20, -1, known, nil},
	} {
		var got []string
		for _, task := range panel(suite(c.tasks), c.nights, c.k) {
			got = append(got, task.ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestReplacedIsMeasuredBeside tests that the reruns measure each task twice with the
// champion and once with the config that the champion replaced, within the night's
// budget, and that the search and the comparison of the champion with itself leave the
// replaced config out.
func TestReplacedIsMeasuredBeside(t *testing.T) {
	o := newNights(t, 60)
	o.Evaluations = 400
	o.Agent.Deterministic, o.Agent.UsesSeed = false, true
	o.Replaced = o.Agent.Champion.Clone()
	o.Replaced["reach"] = .7 // better
	s := o.run(t)
	made := map[agent.ConfigID]map[string]int{}
	all := 0
	for e, err := range o.Archive.Evaluations(t.Context(), s.Run.ID, "toy") {
		if err != nil {
			t.Fatal(err)
		}
		all++
		if e.Stage == bench.StageAA {
			if made[e.Variant] == nil {
				made[e.Variant] = map[string]int{}
			}
			made[e.Variant][e.Task]++
		}
	}
	champion, replaced := made[s.Plan.Champion], made[o.Replaced.ID()]
	if len(made) != 2 || len(champion) != 10 || len(replaced) != len(champion) || s.Plan.AA != 30 || all > o.Evaluations {
		t.Fatalf("%d evaluations, of which the reruns, %d planned: %v", all, s.Plan.AA, made)
	}
	for task, n := range champion {
		if n != 2 || replaced[task] != 1 {
			t.Errorf("%s: %d reruns of the champion, %d of what it replaced", task, n, replaced[task])
		}
	}
	if r := s.Result; r.Repeats == nil || r.Repeats.Tasks != 10 || r.Repeats.Same != 10 || r.AA.Difference != 0 {
		t.Errorf("the champion against itself: %+v, %+v", r.Repeats, r.AA)
	}
}
