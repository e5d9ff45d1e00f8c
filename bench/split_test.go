package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func splitsOf(tasks []Task) map[string]Split {
	m := map[string]Split{}
	for _, t := range tasks {
		m[t.ID] = t.Split
	}
	return m
}

// drawTasks returns tasks whose declared splits do not conflict.
func drawTasks(t *rapid.T) []Task {
	n := rapid.IntRange(1, 60).Draw(t, "n")
	explicit := map[string]Split{}
	tasks := make([]Task, n)
	for i := range tasks {
		task := Task{ID: fmt.Sprintf("t%d", i), Domain: rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "domain")}
		if k := rapid.IntRange(0, 20).Draw(t, "cluster"); k > 0 {
			task.Cluster = fmt.Sprintf("c%d", k)
		}
		if rapid.IntRange(0, 5).Draw(t, "explicit") == 0 {
			split, ok := explicit[task.Unit()]
			if !ok {
				split = rapid.SampledFrom([]Split{Search, Holdout}).Draw(t, "split")
				explicit[task.Unit()] = split
			}
			task.Split = split
		}
		tasks[i] = task
	}
	return tasks
}

func TestSplitProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given := drawTasks(t)
		tasks := slices.Clone(given)
		if conflicts := AssignSplits(tasks); len(conflicts) > 0 {
			t.Fatalf("conflicts %v", conflicts)
		}
		side := map[string]Split{}
		for i, task := range tasks {
			if task.Split != Search && task.Split != Holdout {
				t.Fatalf("task %s has no split", task.ID)
			}
			if given[i].Split != "" && task.Split != given[i].Split {
				t.Fatalf("task %s lost its explicit split", task.ID)
			}
			if s, ok := side[task.Unit()]; ok && s != task.Split {
				t.Fatalf("cluster %s is on both sides", task.Unit())
			}
			side[task.Unit()] = task.Split
		}

		shuffled := slices.Clone(given)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		AssignSplits(shuffled)
		if d := cmp.Diff(splitsOf(tasks), splitsOf(shuffled)); d != "" {
			t.Fatalf("the order of the tasks matters: %s", d)
		}

		// Add one more task of an existing cluster, in that cluster's domain.
		like := given[rapid.IntRange(0, len(given)-1).Draw(t, "like")]
		grown := append(slices.Clone(given), Task{ID: "new", Domain: like.Domain, Cluster: like.Unit()})
		AssignSplits(grown)
		for _, task := range grown {
			if want := side[task.Unit()]; task.Split != want {
				t.Fatalf("task %s moved to %s when %s grew", task.ID, task.Split, like.Unit())
			}
		}
	})
}

// TestSplitBalance checks that within each domain the numbers of clusters per split differ
// by at most one, and that domains with a single cluster do not all get the same split.
func TestSplitBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tasks []Task
		single := 0
		for d := range rapid.IntRange(1, 12).Draw(t, "domains") {
			n := rapid.IntRange(1, 9).Draw(t, "clusters")
			if n == 1 {
				single++
			}
			for c := range n {
				tasks = append(tasks, Task{ID: fmt.Sprintf("%d-%d", d, c), Domain: fmt.Sprint(d)})
			}
		}
		AssignSplits(tasks)
		lead := map[string]int{}
		for _, task := range tasks {
			if task.Split == Search {
				lead[task.Domain]++
			} else {
				lead[task.Domain]--
			}
		}
		alone := 0
		for d, n := range lead {
			if n < -1 || n > 1 {
				t.Fatalf("domain %s leads by %d", d, n)
			}
		}
		for _, task := range tasks {
			if slices.IndexFunc(tasks, func(o Task) bool { return o.Domain == task.Domain && o.ID != task.ID }) < 0 {
				alone += lead[task.Domain]
			}
		}
		if alone < 0 || alone > 1 {
			t.Fatalf("%d domains of one cluster: search leads by %d", single, alone)
		}
	})
}

func TestSplitConflicts(t *testing.T) {
	tasks := []Task{
		{ID: "1", Cluster: "c", Split: Search},
		{ID: "2", Cluster: "c"},
		{ID: "3", Cluster: "c", Split: Holdout},
		{ID: "4", Cluster: "d", Split: Holdout},
		{ID: "5", Cluster: "d"},
	}
	got := AssignSplits(tasks)
	if d := cmp.Diff([]SplitConflict{{"c", 0, 2}}, got); d != "" {
		t.Error(d)
	}
	if tasks[4].Split != Holdout {
		t.Error("an explicit split does not pull its cluster along")
	}
}

// TestSplitIsPinned checks that an existing workspace keeps its holdout when evolve is
// updated.
func TestSplitIsPinned(t *testing.T) {
	var tasks []Task
	for i := range 8 {
		tasks = append(tasks, Task{ID: fmt.Sprintf("t%d", i), Domain: "d"})
	}
	AssignSplits(tasks)
	var got []string
	for _, task := range tasks {
		if task.Split == Holdout {
			got = append(got, task.ID)
		}
	}
	if d := cmp.Diff([]string{"t1", "t2", "t4", "t6"}, got); d != "" {
		t.Error(d)
	}
}
