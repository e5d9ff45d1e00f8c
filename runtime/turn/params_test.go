package turn

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// situation is a task with two values for one parameter, of which only the good value
// solves the task.
type situation struct {
	param    string
	bad      any // nil means the default
	good     any
	rest     agent.Config
	task     agent.Task
	files    map[string]string
	want     string
	outcome  agent.Outcome // outcome of the run with the good value; "" means ok
	memories []agent.Memory
}

func facts(texts ...string) []agent.Memory {
	out := make([]agent.Memory, len(texts))
	for i, text := range texts {
		out[i] = agent.Memory{ID: fmt.Sprint("m", i), Text: text}
	}
	return out
}

// background returns memories that make the words in a question sufficiently rare or
// common.
func background(n int) []agent.Memory {
	var out []agent.Memory
	for i := range n {
		out = append(out, agent.Memory{ID: fmt.Sprint("b", i), Text: fmt.Sprintf("Ledger entry %d of warehouse %d was filed by clerk %d", i, i%7, i%5)})
	}
	return out
}

var handbook = map[string]string{
	"handbook.md": "# Handbook\n\n## Search service\nowner: Bo Lind\ntimeout: 10 seconds\n\n## Billing service\n\nContact the team in the morning.\nowner: Ana Ruiz\ntimeout: 30 seconds\n",
	"prices.csv":  "sku,item,unit_price\nLK-204,lock,12.50\nHG-100,hinge,3.20\n",
	"orders.csv":  "order,region,amount\nA1,north,10.50\nA2,south,3.25\nA3,north,20.75\n",
}

func situations() []situation {
	old := time.Date(2026, 1, 25, 0, 0, 0, 0, time.UTC)
	fresh := time.Date(2026, 1, 30, 0, 0, 0, 0, time.UTC)
	return []situation{
		{
			param: "recall.min_score", good: .5,
			memories: append(background(40), facts("The vault code of the Lisbon branch is 7734")...),
			task:     agent.Task{Goal: "What is the vault code that opens Lisbon headquarters tonight?"},
			rest:     agent.Config{"strategy": "be lenient\nanswer: value only"},
			want:     "7734",
		},
		{
			param: "recall.min_score", bad: .5, good: .9,
			memories: []agent.Memory{{ID: "a", Text: "book a flight to Rome", Answer: "flight"}, {ID: "b", Text: "weather in Rome", Answer: "weather"}},
			task:     agent.Task{Goal: "what is the train to Rome"},
			want:     "unknown", outcome: agent.LowUtility,
		},
		{
			param: "recall.max_memories", bad: int64(1), good: int64(5),
			memories: []agent.Memory{
				{ID: "a", Text: "freeze my card", Answer: "block"},
				{ID: "b", Text: "freeze my card now", Answer: "freeze"},
				{ID: "c", Text: "freeze my card please today", Answer: "freeze"},
				{ID: "d", Text: "freeze my card right away", Answer: "freeze"},
			},
			task: agent.Task{Goal: "freeze my card"}, want: "freeze",
		},
		{
			param: "recall.mmr_lambda", bad: 1.0, good: .3,
			rest: agent.Config{"recall.max_memories": int64(2), "recall.min_score": .5, "decompose.enabled": false, "tools.selection": []string{}},
			memories: append(background(30), facts(
				"Falcon project status report meeting", "Falcon project status report meetings", "Falcon project status report: budget is 40 thousand",
			)...),
			task: agent.Task{Goal: "How much is the falcon project status report"}, want: "40",
		},
		{
			param: "recall.token_budget", bad: int64(200), good: int64(1500),
			rest: agent.Config{"recall.min_score": .5, "tools.selection": []string{}, "strategy": "answer: value only"},
			memories: facts(
				"Depot nine: lockers, lockers, lockers. "+strings.Repeat("Ask depot nine about the lockers. ", 20),
				"The lockers of depot nine are 5521. "+strings.Repeat("Drivers who arrive late wait outside until somebody fetches another key from reception. ", 10),
			),
			task: agent.Task{Goal: "How many lockers has depot nine?"}, want: "5521",
		},
		{
			param: "tools.selection", bad: []string{}, good: []string{"repo_index"},
			files: map[string]string{"a/a.go": "package a\n\nfunc A() {}\n", "b/b.go": "package b\n"},
			rest:  agent.Config{"loop.max_iterations": int64(2)},
			task:  agent.Task{Goal: "How many lines of code does the repository have?"}, want: "4",
		},
		{
			param: "tools.pattern_weight", bad: 0.0, good: .8,
			task: agent.Task{Goal: "What is 2.5 * 4?"}, want: "10",
		},
		{
			param: "tools.performance_weight", bad: .1, good: .4,
			files: map[string]string{"zeta.md": "# Parking\nThe gate closes at 22:00.\n"},
			rest:  agent.Config{"strategy": "never grep"},
			task:  agent.Task{Goal: "When does the gate close?"}, want: "22:00",
		},
		{
			param: "tools.cutoff", good: .05,
			files: map[string]string{"zeta.md": "# Parking\nThe gate closes at 22:00.\n"},
			rest:  agent.Config{"strategy": "never grep"},
			task:  agent.Task{Goal: "When does the gate close?"}, want: "22:00",
		},
		{
			param: "tools.cutoff", bad: .05, good: .3,
			rest:  agent.Config{"tools.selection": []string{"memory_search"}},
			task:  agent.Task{Goal: "what is the train to Rome"},
			files: nil, memories: []agent.Memory{{ID: "a", Text: "book a flight to Rome", Answer: "flight"}, {ID: "b", Text: "cheap hotels", Answer: "hotel"}},
			want: "unknown", outcome: agent.LowUtility,
		},
		{
			param: "loop.max_iterations", bad: int64(1), good: int64(3),
			task: agent.Task{Goal: "What is 2.5 * 4?"}, want: "10",
		},
		{
			param: "loop.self_check", bad: false, good: true,
			files: map[string]string{"a.md": "The parental leave days are granted generously.\n", "b.md": "Parental leave: 20 days\n"},
			rest:  agent.Config{"tools.selection": []string{"grep"}},
			task:  agent.Task{Goal: "How many parental leave days are granted?"}, want: "20",
		},
		{
			param: "decompose.enabled", bad: false, good: true, files: handbook,
			task: agent.Task{Goal: "Compare the unit price of LK-204 and HG-100"}, want: "LK-204: 12.50; HG-100: 3.20",
		},
		{
			param: "decompose.enabled", bad: true, good: false,
			files: map[string]string{"rules.md": "Compare the seal and the badge: both must carry the year.\n"},
			rest:  agent.Config{"strategy": "be lenient"},
			task:  agent.Task{Goal: "Compare the seal and the badge"}, want: "both must carry the year.",
		},
		{
			param: "decompose.max_subgoals", bad: int64(2), good: int64(3), files: map[string]string{"prices.csv": handbook["prices.csv"] + "BT-7,bolt,0.40\n"},
			rest: agent.Config{"loop.max_iterations": int64(16)},
			task: agent.Task{Goal: "Compare the unit price of LK-204, HG-100 and BT-7"}, want: "LK-204: 12.50; HG-100: 3.20; BT-7: 0.40",
		},
		{
			param: "strategy", good: "verify arithmetic", files: handbook,
			task: agent.Task{Goal: "total amount of region north in orders.csv"}, want: "31.25",
		},
		{
			param: "strategy", good: "trust newest",
			memories: []agent.Memory{
				{ID: "a", Text: "The gate code is 1111", Time: old}, {ID: "b", Text: "The gate code is now set to 2222 since the new doors came in spring", Time: fresh},
			},
			rest: agent.Config{"recall.min_score": .5},
			task: agent.Task{Goal: "What is the gate code?"}, want: "The gate code is now set to 2222 since the new doors came in spring",
		},
		{
			param: "strategy", good: "answer: value only", memories: facts("The harbour master is Ida Holm."),
			rest: agent.Config{"recall.min_score": .5},
			task: agent.Task{Goal: "Tell me the harbour master"}, want: "Ida Holm",
		},
		{
			param: "strategy", bad: "answer: value only", good: "", memories: facts("The harbour master is Ida Holm."),
			rest: agent.Config{"recall.min_score": .5},
			task: agent.Task{Goal: "Tell me the harbour master"}, want: "The harbour master is Ida Holm.",
		},
		{
			param: "strategy", good: "check earlier turns",
			task: agent.Task{Goal: "What is the gate code?", Messages: []agent.Message{{Role: "user", Content: "The gate code is 4711."}}},
			rest: agent.Config{"strategy": ""}, want: "The gate code is 4711.",
		},
		{
			param: "strategy", bad: "refer early", good: "", files: map[string]string{"mail.md": "The email address of support: help@example.org\n"},
			task: agent.Task{Goal: "What is the email address of support?"}, want: "help@example.org",
		},
		{
			param: "strategy", good: "when unsure: say oos", task: agent.Task{Goal: "gibberish of the moon"}, want: "oos", outcome: agent.LowUtility,
		},
		{
			param: "strategy", good: "follow references",
			files: map[string]string{"index.md": "The upload limit of the portal: see limits.md\n", "limits.md": "# Portal\nupload limit: 25 MB\n"},
			rest:  agent.Config{"tools.selection": []string{"grep", "read_file"}},
			task:  agent.Task{Goal: "What is the upload limit of the portal?"}, want: "25 MB",
		},
		{
			param: "strategy", good: "read before answering",
			files: map[string]string{
				"handbook.md": "## Billing service\nowner: Ana Ruiz\n\n## Search desk\ntimeout: 10 seconds\n",
				"notes.md":    "The billing timeout equals 30 seconds\n",
			},
			rest: agent.Config{"tools.selection": []string{"grep", "read_file"}},
			task: agent.Task{Goal: "What is the billing service timeout?"}, want: "The billing timeout equals 30 seconds",
		},
	}
}

// TestEveryParameterFlipsATask tests that each searched parameter can change a result, and
// that no other parameters are declared.
func TestEveryParameterFlipsATask(t *testing.T) {
	flipped := map[string]bool{}
	for i, s := range situations() {
		t.Run(fmt.Sprintf("%02d %s", i, s.param), func(t *testing.T) {
			a, err := New(Options{Memories: s.memories, Clock: func() time.Time { return time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC) }})
			if err != nil {
				t.Fatal(err)
			}
			dir := lay(t, s.files)
			run := func(v any) agent.Result {
				c := a.Space().Default()
				for k, v := range s.rest {
					c[k] = v
				}
				if v != nil {
					c[s.param] = v
				}
				return a.Run(context.Background(), agent.Request{Task: s.task, Config: c, Workdir: dir})
			}
			good, bad := run(s.good), run(s.bad)
			if got := answer(good); got != s.want {
				t.Errorf("with %v: %q, want %q\n%s", s.good, got, s.want, story(good))
			}
			if want := s.outcome; good.Outcome != want && (want != "" || good.Outcome != agent.OK) {
				t.Errorf("with %v: outcome %s", s.good, good.Outcome)
			}
			if got := answer(bad); got == s.want {
				t.Errorf("with %v: also %q\n%s", s.bad, got, story(bad))
			}
			flipped[s.param] = true
		})
	}
	for _, name := range HeuristicSpace(nil, nil).Names() {
		if !flipped[name] {
			t.Errorf("no task is flipped by %s", name)
		}
	}
}

func answer(r agent.Result) string {
	if r.Answer == nil {
		return "<none>"
	}
	return *r.Answer
}

func story(r agent.Result) string {
	var b strings.Builder
	for _, e := range r.Transcript.Events {
		fmt.Fprintf(&b, "  %s %s %s %s %s\n", e.Kind, e.Name, e.Outcome, e.Text, e.Data)
	}
	return b.String()
}

// lay writes files, if there are any, into a folder for the test.
func lay(t testing.TB, files map[string]string) string {
	t.Helper()
	if len(files) == 0 {
		return ""
	}
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
