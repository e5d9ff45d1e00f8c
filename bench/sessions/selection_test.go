package sessions

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/bench"
	"evolve/bench/grade"
)

// TestDomainsOfLogs checks that a conversation is left out and counted if its domain is
// not valid in any suite. A domain that is set for all tasks is checked beforehand.
func TestDomainsOfLogs(t *testing.T) {
	good, bad := talk("Which bay is free on Monday?", "Bay 7.", "Perfect, thanks!"), talk("Who keeps the key of the tunnel?", "Ada.", "Perfect, thanks!")
	good.Domain, bad.Domain = "depot", "no such\ndomain!"
	problem := func(name string) string { return map[string]string{"no such\ndomain!": "bad"}[name] }
	for fixed, want := range map[string][]string{"": {"depot", "found", "1"}, "office": {"office", "office", "0"}} {
		b := newBuilder(t, Options{PerDomain: 10, DomainProblem: problem, Fixed: fixed, Domain: func(string) string { return "found" }})
		b.Add(good)
		b.Add(bad)
		tasks, s := b.Tasks()
		if len(tasks) != 2 || tasks[0].Domain != want[0] || tasks[1].Domain != want[1] || fmt.Sprint(s.BadDomains) != want[2] {
			t.Errorf("%q: %+v, %+v", fixed, tasks, s)
		}
	}
}

// subjects are words from which the tests make messages that do not resemble one another.
var subjects = strings.Fields("harbour kitchen orchard library tunnel bakery stable quarry theatre greenhouse airport vineyard chapel foundry lighthouse museum")

// asks returns a conversation with one approved exchange on a subject.
func asks(n int) Conversation {
	s := subjects[n%len(subjects)]
	return rewarded(1, talk(fmt.Sprintf("%s of %s %d: %s?", strings.ToUpper(s), s, n, strings.Repeat(s+fmt.Sprint(n)+"s ", 3)), fmt.Sprintf("%s %d", s, n)))
}

// TestSelection checks that at most N tasks of a domain are selected, that there are no
// near-duplicates, and that everything that belongs together is in the same split.
func TestSelection(t *testing.T) {
	b := newBuilder(t, Options{PerDomain: 6, Domain: func(message string) string {
		if len(strings.Fields(message)[0])%2 == 0 {
			return "east"
		}
		return "west"
	}})
	for n := range 16 {
		b.Add(asks(n))
		again := asks(n) // the same request in another conversation
		again.Messages[0].Text = "Please: " + again.Messages[0].Text
		b.Add(again)
	}
	long := talk()
	for n := range 6 {
		long.Messages = append(long.Messages, asks(n+16).Messages...)
		long.Messages[len(long.Messages)-1].Verdict = Verdict{Given: true, Approved: true}
	}
	b.Add(long)
	for trial := range 3 { // of one problem
		c := asks(40 + trial)
		c.Family = "family"
		b.Add(c)
	}
	tasks, s := b.Tasks()
	t.Logf("%+v", s)
	if s.Duplicates != 18 || s.Approved != 41 || s.Kept != 12 || len(s.Domains) != 2 || s.Search == 0 || s.Holdout == 0 {
		t.Errorf("%+v", s)
	}
	sides := map[string]bench.Split{}
	for i := range tasks {
		unit := tasks[i].Unit()
		if tasks[i].Source.Digest == digest(long.Messages) {
			unit = "long"
		}
		if side, ok := sides[unit]; ok && side != tasks[i].Split {
			t.Errorf("%s is on both sides", unit)
		}
		sides[unit] = tasks[i].Split
	}
	var text bytes.Buffer
	if err := bench.WriteSuite(&text, tasks); err != nil {
		t.Fatal(err)
	}
	suite, issues := bench.ReadSuite(&text, "s", nil, grade.Rules())
	if suite == nil {
		t.Fatal(issues)
	}
	if suite.Likeness().String() != "" {
		t.Error(suite.Likeness())
	}
	for i := range tasks {
		if suite.Tasks[i].Split != tasks[i].Split {
			t.Errorf("%s: declared %s, read as %s", tasks[i].ID, tasks[i].Split, suite.Tasks[i].Split)
		}
	}
	again, s2 := b.Tasks()
	if !slices.EqualFunc(tasks, again, func(x, y bench.Task) bool { return x.ID == y.ID && x.Split == y.Split }) {
		t.Error("a second selection differs")
	}
	if diff := cmp.Diff(s, s2); diff != "" {
		t.Error(diff)
	}
}

// TestEveryFormat builds tasks from logs of every format together.
func TestEveryFormat(t *testing.T) {
	b := newBuilder(t, Options{PerDomain: 30})
	files, err := filepath.Glob("testdata/*.json*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(bytes.NewReader(data), ReadOptions{Name: file}, b.Add); err != nil {
			t.Fatal(err)
		}
	}
	tasks, s := b.Tasks()
	var got []string
	for _, task := range tasks {
		got = append(got, task.Source.File+": "+task.Goal+" → "+*task.Answer)
	}
	if diff := cmp.Diff([]string{
		"anthropic.jsonl: Is the ferry to Hydra running on Friday evening? → Yes, the last one leaves at 20:15.",
		"inspect.json: Capital of Peru? → Lima",
		"intercode.json: Count the crates that are listed in /depot/list.txt → wc -l < /depot/list.txt",
		"intercode.json: Which depot has the most bays? → SELECT name FROM depots ORDER BY bays DESC LIMIT 1",
		"intercode.json: Find the word in the file note → larch",
		"intercode.json: Print the sum of 2 and 3 → print(2+3)",
		"openai.jsonl: How many pallets fit into bay 7? → 42 pallets.",
		"openai.jsonl: Which city is the seat of the northern office? → Oslo",
		"openai.jsonl: When does the kiosk open on Sundays? → At nine.",
		"otel.jsonl: How deep is the east basin? → 11 metres.",
		"otel.jsonl: Which crane is the tallest? → Crane 4",
		"plain.jsonl: What is the code of the spare key box? → It is in the blue folder.",
		"plain.jsonl: How many chairs are in the large hall? → 120",
		"plain.jsonl: Name the two gates that open at night. → North and west.",
		"promptfoo.json: Translate to French: house → maison",
		"promptfoo.json: Translate to French: tree → {\"word\": \"arbre\"}",
		"tau.json: Please move my booking to Monday morning. → It is on Monday at nine.",
	}, got); diff != "" {
		t.Errorf("%+v\n%s", s, diff)
	}
}

// TestExistingSuite checks that a suite rebuilt from a longer log keeps the split of
// every task, and that whatever resembles a task joins the task's split.
func TestExistingSuite(t *testing.T) {
	first := newBuilder(t, Options{PerDomain: 100})
	for n := range 9 {
		first.Add(asks(n))
	}
	old, _ := first.Tasks()
	second := newBuilder(t, Options{PerDomain: 100, Existing: old[:8]})
	for n := range 16 {
		second.Add(asks(n))
	}
	grown := asks(2) // the conversation goes on
	grown.Messages = append(grown.Messages, asks(20).Messages...)
	for i := range grown.Messages {
		grown.Messages[i].Verdict = Verdict{Given: true, Approved: i%2 == 1}
	}
	second.Add(grown)
	tasks, s := second.Tasks()
	was, sides := map[string]bench.Split{}, map[string]bench.Split{}
	for _, task := range old[:8] {
		was[task.ID] = task.Split
	}
	for _, task := range tasks {
		if side, ok := was[task.ID]; ok && side != task.Split {
			t.Errorf("%s was %s and is %s", task.ID, side, task.Split)
		}
		sides[task.ID] = task.Split
	}
	if s.Existing == nil || s.Existing.Stay != 8 || s.Existing.New != len(tasks)-8 || s.Existing.Gone != 0 || s.Search < 6 || s.Holdout < 6 {
		t.Errorf("%+v %+v", s, s.Existing)
	}
	later := fmt.Sprintf("plain-%.16s", digest(grown.Messages))
	before := fmt.Sprintf("plain-%.16s", digest(asks(2).Messages))
	if sides[later] == "" || sides[later] != was[before] {
		t.Errorf("the conversation's first task is %s, its second %s", was[before], sides[later])
	}

	// A conversation that covers tasks of both splits is left out, and those tasks stay
	// where they were.
	both := asks(0)
	for n := 1; n < 8; n++ {
		both.Messages = append(both.Messages, asks(n).Messages...)
	}
	both.Messages = append(both.Messages, asks(30).Messages...)
	third := newBuilder(t, Options{PerDomain: 100, Existing: old[:8]})
	for n := range 8 {
		third.Add(asks(n))
	}
	for i := range old[:8] {
		old[i].Source.Digest = digest(both.Messages)
	}
	third.Add(both)
	tasks, s = third.Tasks()
	if len(tasks) != 8 || s.LeftOut["they resemble tasks in both splits of the existing suite"] != 1 {
		t.Errorf("%d tasks, %+v", len(tasks), s)
	}
	var text bytes.Buffer
	if err := bench.WriteSuite(&text, tasks); err != nil {
		t.Fatal(err)
	}
	suite, issues := bench.ReadSuite(&text, "", nil, grade.Rules())
	if suite == nil {
		t.Fatal(issues)
	}
	for _, task := range suite.Tasks {
		if task.Split != was[task.ID] {
			t.Errorf("%s was %s and is %s", task.ID, was[task.ID], task.Split)
		}
	}
}
