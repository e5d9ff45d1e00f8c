package sessions

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"evolve/bench"
	"evolve/bench/grade"
	"evolve/runtime/scrub"
)

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

// newBuilder returns a builder for tests.
func newBuilder(t *testing.T, o Options) *Builder {
	t.Helper()
	if o.Scrub == nil {
		o.Scrub = scrub.New(nil).String
	}
	if o.Domain == nil {
		o.Domain = func(string) string { return "" }
	}
	b, err := NewBuilder(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTauConversations reads 200 real conversations (50 tasks with four trials each). Of
// these conversations, 84 have reward 1. Every selected task comes from a conversation
// with reward 1, each from a different benchmark task, and tasks with a common cluster
// are in the same split.
func TestTauConversations(t *testing.T) {
	data := realData("tau-airline-gpt-4o.json")
	if data == nil {
		t.Skip("the real data is not on this machine: set EVOLVE_SHARED_DATA to the folder that has it")
	}
	b := newBuilder(t, Options{Fixed: "airline", PerDomain: 10})
	read := map[string]Conversation{}
	log, err := Read(bytes.NewReader(data), ReadOptions{Name: "tau-airline-gpt-4o.json"}, func(c Conversation) {
		read[c.Digest] = c
		b.Add(c)
	})
	if err != nil || log.Conversations != 200 || log.Bad != 0 {
		t.Fatalf("%v: %+v", err, log)
	}
	tasks, s := b.Tasks()
	t.Logf("%+v", s)
	scripts := newBuilder(t, Options{Fixed: "airline", PerDomain: 100, Conversations: true})
	if _, err := Read(bytes.NewReader(data), ReadOptions{Name: "tau-airline-gpt-4o.json"}, scripts.Add); err != nil {
		t.Fatal(err)
	}
	whole, sum := scripts.Tasks()
	scripted := 0
	for i := range whole {
		if task := &whole[i]; len(task.Turns) > 0 {
			c := read[task.Source.Digest]
			if scripted++; !c.Verdict.Approved || task.Goal != "" || len(task.Turns) < 2 {
				t.Errorf("%s: %+v, %+v", task.ID, task.Turns, c.Verdict)
			}
		}
	}
	if sum.Scripted != 44 || scripted < 20 || sum.Approved != s.Approved {
		t.Errorf("%d scripts of %d conversations: %+v", scripted, sum.Scripted, sum)
	}
	if s.Exchanges != 1290 || s.Kept != 10 || s.Search != 5 || s.Holdout != 5 || s.Stated != 0 {
		t.Errorf("%+v", s)
	}
	// Each conversation with reward 1 has one approved answer, one corrected answer, or
	// none.
	if s.Approved > 84 || s.Approved < 70 {
		t.Errorf("%d approved exchanges of 84 conversations with reward 1", s.Approved)
	}
	left := 0
	for _, n := range s.LeftOut {
		left += n
	}
	if s.Approved-left-s.Duplicates != s.Domains[0].Tasks {
		t.Errorf("%d approved, %d left out, %d near-duplicates: %d remain", s.Approved, left, s.Duplicates, s.Domains[0].Tasks)
	}
	families, sides := map[string]bool{}, map[string]bench.Split{}
	for i := range tasks {
		task := &tasks[i]
		c := read[task.Source.Digest]
		if !c.Verdict.Approved || families[c.Family] {
			t.Errorf("%s comes from %s, %+v", task.ID, c.ID, c.Verdict)
		}
		families[c.Family] = true
		if side, ok := sides[task.Unit()]; ok && side != task.Split {
			t.Errorf("cluster %s is on both sides", task.Unit())
		}
		sides[task.Unit()] = task.Split
	}
	var text bytes.Buffer
	if err := bench.WriteSuite(&text, tasks); err != nil {
		t.Fatal(err)
	}
	suite, issues := bench.ReadSuite(&text, "tau", nil, grade.Rules())
	if suite == nil || suite.Likeness().String() != "" {
		t.Fatal(issues)
	}
}
