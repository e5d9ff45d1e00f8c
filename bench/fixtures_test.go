package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

func TestForAgentHidesTheGrading(t *testing.T) {
	secret := "the secret answer"
	task := Task{
		ID: "a", Domain: "d", Goal: "g", Input: json.RawMessage(`{"n":1}`),
		Messages: []agent.Message{{Role: "user", Content: "now"}},
		Fixtures: Fixtures{
			Files:    map[string]string{"f": "1"},
			Turns:    []agent.Message{{Role: "user", Content: "before"}},
			Memories: []agent.Memory{{ID: "m", Text: "t"}},
		},
		Graders: []GraderSpec{{Type: "exact", Raw: json.RawMessage(`{"type":"exact","answer":"` + secret + `"}`)}},
		Answer:  &secret, Tags: []string{secret}, Cluster: secret, Split: Holdout, Source: &Source{Session: secret},
	}
	got := task.ForAgent()
	want := agent.Task{
		ID: got.ID, Domain: "d", Goal: "g", Input: json.RawMessage(`{"n":1}`),
		Messages: []agent.Message{{Role: "user", Content: "before"}, {Role: "user", Content: "now"}},
		Memories: []agent.Memory{{ID: "m", Text: "t"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if raw, _ := json.Marshal(got); strings.Contains(string(raw), secret) || strings.Contains(string(raw), "holdout") {
		t.Errorf("the agent sees the grading: %s", raw)
	}
}

// TestForAgentNamesTasksByWhatIsSeen checks that the id depends only on what the agent
// sees.
func TestForAgentNamesTasksByWhatIsSeen(t *testing.T) {
	answer := "42"
	task := Task{ID: "holdout-7", Domain: "d", Goal: "g", Input: json.RawMessage(`{"n":1}`), Fixtures: Fixtures{Files: map[string]string{"f": "1"}}}
	id := task.ForAgent().ID
	if len(id) != 32 || strings.Contains(id, "7-") || strings.Trim(id, "0123456789abcdef") != "" {
		t.Errorf("the id is %q", id)
	}
	unseen := task
	unseen.ID, unseen.Split, unseen.Answer, unseen.Tags, unseen.Cluster, unseen.Weight = "search-1", Holdout, &answer, []string{"x"}, "c", 2
	unseen.Graders = []GraderSpec{{Type: "exact", Raw: json.RawMessage(`{"type":"exact","answer":"42"}`)}}
	if other := unseen.ForAgent().ID; other != id {
		t.Errorf("what no agent sees changes the id: %s, %s", id, other)
	}
	for name, change := range map[string]func(*Task){
		"domain":  func(t *Task) { t.Domain = "e" },
		"goal":    func(t *Task) { t.Goal = "h" },
		"input":   func(t *Task) { t.Input = json.RawMessage(`{"n":2}`) },
		"file":    func(t *Task) { t.Fixtures.Files = map[string]string{"f": "2"} },
		"turns":   func(t *Task) { t.Fixtures.Turns = []agent.Message{{Role: "user", Content: "a"}} },
		"message": func(t *Task) { t.Messages = []agent.Message{{Role: "user", Content: "b"}} },
	} {
		seen := task
		change(&seen)
		if seen.ForAgent().ID == id {
			t.Errorf("another %s, and the same id", name)
		}
	}
}

func TestLayOut(t *testing.T) {
	suites := t.TempDir()
	for p, mode := range map[string]os.FileMode{"repo/go.mod": 0o644, "repo/bin/run.sh": 0o755} {
		full := filepath.Join(suites, p)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte("folder's "+p), mode); err != nil {
			t.Fatal(err)
		}
	}
	task := &Task{ID: "a", Fixtures: Fixtures{Dir: "repo", Files: map[string]string{"go.mod": "own", "deep/er/x.txt": "x"}}}
	work := t.TempDir()
	files, err := LayOut(task, suites, work)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"bin/run.sh", "deep/er/x.txt", "go.mod"}, files); d != "" {
		t.Error(d)
	}
	for p, want := range map[string]string{"go.mod": "own", "deep/er/x.txt": "x", "bin/run.sh": "folder's repo/bin/run.sh"} {
		got, err := os.ReadFile(filepath.Join(work, p))
		if err != nil || string(got) != want {
			t.Errorf("%s holds %q (%v)", p, got, err)
		}
	}
	if info, err := os.Stat(filepath.Join(work, "bin/run.sh")); err != nil || info.Mode()&0o100 == 0 {
		t.Error("a program lost its mode")
	}
}

func TestLayOutNeedsNothingWithoutFiles(t *testing.T) {
	files, err := LayOut(&Task{ID: "a"}, "", "")
	if err != nil || files != nil {
		t.Errorf("%v, %v", files, err)
	}
}

// TestLayOutStaysInside passes fixtures that the suite loader would have refused.
func TestLayOutStaysInside(t *testing.T) {
	outside := t.TempDir()
	work := t.TempDir()
	suites := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(work, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(suites, "linked")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]Fixtures{
		"up":            {Files: map[string]string{"../x": ""}},
		"absolute":      {Files: map[string]string{outside + "/x": ""}},
		"through link":  {Files: map[string]string{"link/x": ""}},
		"over a file":   {Files: map[string]string{"link": ""}},
		"folder up":     {Dir: ".."},
		"folder linked": {Dir: "linked"},
		"too much":      {Files: map[string]string{"x": strings.Repeat("x", maxFixtureBytes+1)}},
	} {
		if _, err := LayOut(&Task{ID: "a", Fixtures: f}, suites, work); err == nil {
			t.Errorf("%s was laid out", name)
		}
	}
	entries, _ := os.ReadDir(outside)
	if len(entries) != 1 {
		t.Errorf("something was written outside: %v", entries)
	}
}

func FuzzPathProblem(f *testing.F) {
	for _, s := range []string{"a/b", "../a", "a/../b", "/a", `a\b`, "a\x00", "", ".", "a/", "\xff", "a\u202eb"} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, p string) {
		if PathProblem(p) != "" {
			return
		}
		if !filepath.IsLocal(p) || filepath.Clean(p) != p || filepath.Dir(filepath.Join(dir, p)) < dir {
			t.Fatalf("%q was let through", p)
		}
	})
}
