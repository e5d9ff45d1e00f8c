package importer

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"evolve/bench"
	"evolve/bench/grade"
	"evolve/runtime/agent"
)

// labelledSet is a set of labelled utterances whose counts are known.
type labelledSet struct {
	file, domains string
	labels        int // in the part named test
	test, train   int // utterances
}

// TestLabelledSets imports utterances both as tasks and as memories, like the routing
// benchmark. It uses the project's own set, and CLINC150 if available.
func TestLabelledSets(t *testing.T) {
	t.Run("library", func(t *testing.T) {
		testLabelled(t, labelledSet{"testdata/library.json", "testdata/library-domains.json", 12, 12 * 4, 12 * 8})
	})
	t.Run("clinc150", func(t *testing.T) {
		dir := sharedData()
		if dir == "" {
			t.Skip("clinc150.json is not on this machine: set EVOLVE_SHARED_DATA to the folder that has it")
		}
		testLabelled(t, labelledSet{filepath.Join(dir, "clinc150.json"), filepath.Join(dir, "clinc150-domains.json"), 150, 4500, 15000})
	})
}

// sharedData returns the folder with data sets that are not part of the project. The folder
// is named by the environment, or is shared/data in one of the parent folders.
func sharedData() string {
	has := func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "clinc150.json"))
		return err == nil
	}
	if dir := os.Getenv("EVOLVE_SHARED_DATA"); dir != "" && has(dir) {
		return dir
	}
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if d := filepath.Join(dir, "shared", "data"); has(d) {
			return d
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

func testLabelled(t *testing.T, set labelledSet) {
	read := func(path string) []byte {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	data := read(set.file)
	domains, err := ReadDomains(bytes.NewReader(read(set.domains)))
	if err != nil {
		t.Fatal(err)
	}
	tasks, notes, err := Read(bytes.NewReader(data), Options{Domains: domains})
	others := slices.ContainsFunc(notes, func(n Note) bool { return !strings.HasPrefix(n.Text, "parts left out: ") })
	if err != nil || others || len(tasks) != set.test {
		t.Fatalf("%d tasks, notes %v, error %v; want %d tasks", len(tasks), notes, err, set.test)
	}
	labels := map[string]bool{}
	for _, task := range tasks {
		labels[*task.Answer] = true
		if task.Domain == "" {
			t.Fatalf("task %s has no domain", task.ID)
		}
	}
	if len(labels) != set.labels {
		t.Errorf("%d labels, want %d", len(labels), set.labels)
	}

	const each = 3
	sample, _, err := Read(bytes.NewReader(data), Options{Domains: domains, PerLabel: each, Seed: 7})
	if err != nil || len(sample) != each*set.labels {
		t.Fatalf("sampled %d tasks (%v)", len(sample), err)
	}
	var b bytes.Buffer
	if err := bench.WriteSuite(&b, sample); err != nil {
		t.Fatal(err)
	}
	suite, issues := bench.ReadSuite(&b, "suites/labelled.jsonl", nil, grade.Rules())
	if len(issues) > 0 {
		t.Fatal(issues)
	}
	if s, h := len(suite.Side(bench.Search)), len(suite.Side(bench.Holdout)); s+h != len(sample) || max(s-h, h-s) > len(domains) {
		t.Errorf("%d tasks to search and %d to hold out", s, h)
	}

	memories, notes, err := Memories(bytes.NewReader(data), Options{Parts: []string{"train"}, Domains: domains, PerLabel: 5, Seed: 7})
	if err != nil || len(notes) > 0 || len(memories) != 5*set.labels {
		t.Fatalf("%d memories, notes %v, error %v", len(memories), notes, err)
	}
	for _, m := range memories {
		if m.Text == "" || domains[m.Answer] != m.Domain {
			t.Fatalf("memory %+v", m)
		}
		if slices.ContainsFunc(sample, func(task bench.Task) bool { return task.ID == m.ID }) {
			t.Fatalf("the memory %s has the id of a task", m.ID)
		}
	}
	b.Reset()
	if err := WriteMemories(&b, memories); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b.Bytes(), []byte("\n")); n != len(memories) {
		t.Errorf("%d lines of %d memories", n, len(memories))
	}
	all, _, err := Memories(bytes.NewReader(data), Options{Parts: []string{"train"}})
	if err != nil || len(all) != set.train {
		t.Errorf("%d memories in all, want %d (%v)", len(all), set.train, err)
	}
}

func TestMemoriesNeedAGoalAndAnAnswer(t *testing.T) {
	text := `{"input":[{"role":"system","content":"s"},{"role":"user","content":"u"}],"ideal":"a"}` + "\n" + `{"input":"q","ideal":"a"}`
	memories, notes, err := Memories(bytes.NewReader([]byte(text)), Options{})
	if err != nil || len(memories) != 1 || memories[0] != (agent.Memory{ID: "task-00002", Text: "q", Answer: "a", Source: "import"}) {
		t.Errorf("%+v, %v", memories, err)
	}
	if len(notes) != 1 || notes[0].Text != `"task-00001" left out: it has no goal or no answer to remember` {
		t.Errorf("notes %v", notes)
	}
}

func FuzzReadDomains(f *testing.F) {
	f.Add([]byte(`{"a":["x","y"],"b":[]}`))
	f.Add([]byte(`{"a":["x"],"b":["x"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		domains, err := ReadDomains(bytes.NewReader(data))
		if err == nil && domains == nil {
			t.Fatal("neither domains nor an error")
		}
	})
}
