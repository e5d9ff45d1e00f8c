package bench

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDuplicatesOfRealTasks checks the figures by which the bounds were chosen. Of 22,500
// real utterances, 150 for each intent, a third are nearly the same as another utterance,
// and 1 % have an intent other than that of most of their group. Of 1,319 real story
// problems, two are alike: they ask different questions about the same story.
func TestDuplicatesOfRealTasks(t *testing.T) {
	tasks := realUtterances()
	if len(tasks) == 0 {
		t.Skip("the real data is not on this machine: set EVOLVE_SHARED_DATA to the folder that has it")
	}
	duplicates, strange, biggest := 0, 0, 0
	groups := FindDuplicates(tasks)
	for _, g := range groups {
		labels, most := map[string]int{}, 0
		for _, i := range g.Tasks {
			labels[*tasks[i].Answer]++
			most = max(most, labels[*tasks[i].Answer])
		}
		duplicates += len(g.Tasks)
		biggest = max(biggest, len(g.Tasks))
		strange += len(g.Tasks) - most
	}
	t.Logf("%d tasks: %d near-duplicates in %d groups, the biggest of %d; %d of another intent than most", len(tasks), duplicates, len(groups), biggest, strange)
	if len(tasks) != 22_500 || duplicates > 8000 || biggest > 25 || strange > 225 {
		t.Errorf("that is not what the bounds were chosen for")
	}
	stories := realProblems()
	if found := FindDuplicates(stories); len(stories) != 1319 || len(found) > 1 {
		t.Errorf("%d groups among %d story problems", len(found), len(stories))
	}
}

// realData returns a file of real data, or nil if it is absent.
func realData(name string) []byte {
	dir := os.Getenv("EVOLVE_SHARED_DATA")
	for up := "."; dir == "" && len(up) < 30; up = filepath.Join("..", up) {
		if _, err := os.Stat(filepath.Join(up, "shared", "data")); err == nil {
			dir = filepath.Join(up, "shared", "data")
		}
	}
	raw, _ := os.ReadFile(filepath.Join(dir, name)) // nil if absent
	return raw
}
