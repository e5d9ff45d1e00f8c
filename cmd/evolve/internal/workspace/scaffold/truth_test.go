package scaffold

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"evolve/bench"
)

// quote locates the literal text of a task's answer.
type quote struct{ source, text string }

// quotes reads testdata/quotes.tsv: task, source, text. A source is a path under
// the fixtures or in the task's own files, "memory ID", or "turns".
func quotes(t *testing.T) map[string]quote {
	t.Helper()
	data, err := os.ReadFile("testdata/quotes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]quote{}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 3 {
			t.Fatalf("%q has not three fields", line)
		}
		if _, ok := out[f[0]]; ok {
			t.Fatalf("task %s is quoted twice", f[0])
		}
		out[f[0]] = quote{f[1], f[2]}
	}
	return out
}

// folded removes differences in line breaks.
func folded(s string) string { return strings.Join(strings.Fields(s), " ") }

// sourceText returns the text of a quote's source, if the task can see it.
func (c corpus) sourceText(task *bench.Task, source string) string {
	c.t.Helper()
	if id, ok := strings.CutPrefix(source, "memory "); ok {
		for _, m := range slices.Concat(agentMemories(c.t), task.Fixtures.Memories) {
			if m.ID == id && m.Retracted == "" && (m.Domain == task.Domain || m.Domain == "_global") {
				return m.Text + " " + m.Answer
			}
		}
		return ""
	}
	if source == "turns" {
		var b strings.Builder
		for _, m := range task.Fixtures.Turns {
			b.WriteString(m.Content + "\n")
		}
		return b.String()
	}
	if text, ok := task.Fixtures.Files[source]; ok {
		return text
	}
	if "fixtures/"+strings.Split(source, "/")[0] != task.Fixtures.Dir {
		return ""
	}
	return c.read(source)
}

func TestEveryAnswerHasItsGround(t *testing.T) {
	c := corpus{t}
	quoted, truths := quotes(t), computed(c)
	seen := map[string]bool{}
	for _, task := range suiteTasks(t) {
		seen[task.ID] = true
		q, isQuoted := quoted[task.ID]
		truth, isComputed := truths[task.ID]
		switch {
		case isQuoted && isComputed:
			t.Errorf("%s is both quoted and computed", task.ID)
		case task.Answer == nil:
			if isQuoted || isComputed {
				t.Errorf("%s has a ground but no answer", task.ID)
			}
			if _, ok := absent[task.ID]; !ok && !slices.Contains(task.Tags, "referral") {
				t.Errorf("%s has no answer and is neither a referral nor known to be unanswerable", task.ID)
			}
		case isQuoted:
			if !strings.Contains(folded(c.sourceText(&task, q.source)), q.text) {
				t.Errorf("%s: %s does not say %q", task.ID, q.source, q.text)
			}
			for part := range strings.SplitSeq(*task.Answer, ", ") {
				if !strings.Contains(q.text, part) {
					t.Errorf("%s: %q is not in %q", task.ID, part, q.text)
				}
			}
		case isComputed:
			if got := truth(&task); got != *task.Answer {
				t.Errorf("%s: the answer is %q, computed %q", task.ID, *task.Answer, got)
			}
		case slices.Contains(task.Tags, "precedent"): // see TestPrecedentsFollowTheRuleOfTheHouse
		default:
			t.Errorf("%s: nothing shows that %q is right", task.ID, *task.Answer)
		}
	}
	for id := range quoted {
		if !seen[id] {
			t.Errorf("quote for the unknown task %s", id)
		}
	}
	for id := range truths {
		if !seen[id] {
			t.Errorf("computation for the unknown task %s", id)
		}
	}
}

// absent maps every unanswerable task to words; a source with the answer would contain at
// least one of them.
var absent = map[string][]string{
	"eng-lure-1":    {"archive container"},
	"eng-lure-2":    {"hotfix"},
	"eng-lure-3":    {"gateway firmware"},
	"eng-lure-4":    {"Singapore"},
	"ops-lure-1":    {"window of the billing"},
	"ops-lure-2":    {"for the sensors"},
	"ops-lure-3":    {"collects parcels in Lisbon"},
	"res-unknown-1": {"cost", "price", "EUR"},
	"res-unknown-2": {"women", "female", "gender"},
	"res-unknown-3": {"in snow"},
	"res-unknown-4": {"latitude", "degrees"},
	"res-lure-1":    {"mountain"},
	"res-lure-2":    {"final report"},
	"res-lure-3":    {"hygrometer"},
	"mkt-lure-1":    {"calendars"},
	"mkt-lure-2":    {"French"},
	"mkt-lure-3":    {"cost of a click"},
}

func TestTheUnanswerableCannotBeAnswered(t *testing.T) {
	c := corpus{t}
	for _, task := range suiteTasks(t) {
		words, ok := absent[task.ID]
		if !ok {
			continue
		}
		var all strings.Builder
		for _, m := range slices.Concat(agentMemories(t), task.Fixtures.Memories) {
			if m.Retracted == "" && (m.Domain == task.Domain || m.Domain == "_global") {
				all.WriteString(m.Text + "\n")
			}
		}
		if dir, ok := strings.CutPrefix(task.Fixtures.Dir, "fixtures/"); ok {
			for _, f := range c.files(dir) {
				all.WriteString(c.read(dir+"/"+f) + "\n")
			}
		}
		for _, w := range words {
			if strings.Contains(all.String(), w) {
				t.Errorf("%s: a source mentions %q", task.ID, w)
			}
		}
	}
}

func TestTheSuiteIsBroad(t *testing.T) {
	tasks := suiteTasks(t)
	if len(tasks) < 120 {
		t.Errorf("%d tasks, at least 120 are wanted", len(tasks))
	}
	domains, clusters, tags := map[string]int{}, map[string]string{}, map[string]int{}
	for _, task := range tasks {
		domains[task.Domain]++
		if d, ok := clusters[task.Cluster]; task.Cluster == "" || ok && d != task.Domain {
			t.Errorf("%s: cluster %q is missing or spans domains", task.ID, task.Cluster)
		}
		clusters[task.Cluster] = task.Domain
		for _, tag := range task.Tags {
			tags[tag]++
		}
		if task.Fixtures.Dir != "" {
			if _, err := fs.Stat(asFS(), "suites/"+task.Fixtures.Dir); err != nil {
				t.Errorf("%s: %v", task.ID, err)
			}
		}
	}
	perDomain := map[string]int{}
	for _, d := range clusters {
		perDomain[d]++
	}
	for _, d := range []string{"engineering", "operations", "research", "marketing"} {
		if domains[d] < 25 || perDomain[d] < 8 {
			t.Errorf("%s has %d tasks in %d clusters, but at least 25 in 8 are wanted", d, domains[d], perDomain[d])
		}
	}
	for _, tag := range []string{"lookup", "table", "repo", "memory", "retracted", "conflict", "cue", "compose", "referral", "abstain", "arithmetic", "precedent"} {
		if tags[tag] < 3 {
			t.Errorf("%d tasks are tagged %s, at least 3 are wanted", tags[tag], tag)
		}
	}
}
