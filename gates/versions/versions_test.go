package versions

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/confirm"
	"evolve/bench/grade"
	"evolve/bench/metrics"
	"evolve/gates/gotest"
	"evolve/gates/measure"
	"evolve/mutate"
	"evolve/mutate/blocks"
	"evolve/mutate/night"
	"evolve/mutate/operator"
	"evolve/mutate/population"
	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Init() // this binary also runs inside the sandbox
	os.Exit(m.Run())
}

var installed = sync.OnceValues(func() (gotest.Toolchain, error) { return gotest.FindToolchain(context.Background(), "go") })

const params = `# evolve:begin factor
factor=3
# evolve:end
`

// target is a program whose value on case N is the distance of its factor from 7, times a
// number that depends on the case.
func target(t testing.TB) (*measure.Program, map[string][]byte) {
	t.Helper()
	tools, err := installed()
	if err != nil {
		t.Skip(err)
	}
	tree, folder := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"params": params,
		"score.sh": `. ./params
[ $factor -lt 50 ] || exit 4
while [ $factor -eq 49 ]; do :; done
[ $# -gt 0 ] || set -- $(seq -f c%02.0f 80)
d=$((factor > 7 ? factor - 7 : 7 - factor))
for c; do echo '{"case":"'$c'","metric":"distance","value":'$((d * (10 + 1${c#c} % 7)))',"better":"lower"}'; done
`,
	} {
		if err := os.WriteFile(filepath.Join(tree, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &measure.Program{
		Runner: &measure.Runner{Sandbox: sandbox.None("a test"), Unwalled: true, Tools: tools, Folder: folder, Cache: filepath.Join(folder, "cache")},
		Tree:   tree, Score: []string{"sh", "score.sh"},
	}, map[string][]byte{"params": []byte(params)}
}

func TestAgent(t *testing.T) {
	t.Parallel()
	p, files := target(t)
	a, scale := open(t, p, files)
	run := func(text, of string) agent.Result { return run(t, a, text, of) }
	if r := run("factor=3\n", "c01"); r.Outcome != agent.OK || *r.Score != .5 || *r.Answer != `{"case":"c01","metric":"distance","value":`+fmt.Sprint(scale.Base("c01"))+`,"better":"lower"}` {
		t.Errorf("the base: %+v", r)
	}
	if r := run("factor=7\n", "c01"); r.Outcome != agent.OK || *r.Score < .8 {
		t.Errorf("a better version: %+v", r)
	}
	for text, want := range map[string]string{
		"factor=99\n":                "sh ended with exit code 4",
		"factor=3 # évil\a":          "control character",
		"# evolve:end\n":             "line 1 is a mark",
		"factor=3\necho '{\"a\":1}'": "it is not a value",
		"factor=3\nset -- c02\n":     `case "c01" has no value`,
	} {
		if r := run(text, "c01"); r.Outcome != agent.Execution || !strings.Contains(r.Error, want) {
			t.Errorf("%q: %+v, want %q", text, r, want)
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if r := a.Run(stopped, agent.Request{Config: agent.Config{"factor": "factor=8"}, Task: agent.Task{Input: json.RawMessage(`{"case":"c01"}`)}}); r.Outcome != agent.Cancelled {
		t.Errorf("after a stop: %+v", r)
	}
	if r := run("factor=8", "c01"); r.Outcome != agent.OK {
		t.Errorf("the version of a stopped run: %+v", r)
	}
	p.RunTime = time.Millisecond
	for _, of := range []string{"c01", "c02"} {
		if r := run("factor=49\n", of); r.Outcome != agent.Timeout || strings.HasSuffix(r.Error, "on another case") != (of == "c02") {
			t.Errorf("a version that does not end, on %s: %+v", of, r)
		}
	}
	p.RunTime = 0
	for i := range 3 * mostKept {
		run(fmt.Sprintf("factor=%d", i), "c02")
	}
	kept, err := os.ReadDir(filepath.Join(p.Folder, "versions"))
	if err != nil || len(kept) > mostKept {
		t.Errorf("%d versions are kept, %v", len(kept), err)
	}
}

// run scores a version on one case.
func run(t *testing.T, a *Agent, text, of string) agent.Result {
	t.Helper()
	return a.Run(t.Context(), agent.Request{Config: agent.Config{"factor": text}, Task: agent.Task{Input: json.RawMessage(`{"case":"` + of + `"}`)}})
}

// open returns a target's agent and its scale.
func open(t testing.TB, p *measure.Program, files map[string][]byte) (*Agent, *metrics.Scale) {
	t.Helper()
	base, err := Base(t.Context(), p, "", time.Now, 0)
	if err != nil {
		t.Fatal(err)
	}
	scale, err := metrics.NewScale(base.Values, "")
	if err != nil {
		t.Fatal(err)
	}
	return New(p, files, scale, nil, time.Now), scale
}

// TestChance scores a program whose values differ between starts, and one whose values
// depend on the preceding cases. Both are noticed, before the night and during it.
func TestChance(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		value string
		want  bool
	}{
		"the same":     {"$((d * 10))", false},
		"a clock":      {"$((d * 10)).$(date +%N | sed 's/^0*//')", true},
		"the argument": {"$((d * 10 + (n += 1)))", true},
	} {
		p, files := target(t)
		script := filepath.Join(p.Tree, "score.sh")
		text, err := os.ReadFile(script)
		if err == nil {
			err = os.WriteFile(script, []byte(strings.Replace(string(text), "$((d * (10 + 1${c#c} % 7)))", c.value, 1)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		base, err := Base(t.Context(), p, "", time.Now, 0)
		if err != nil {
			t.Fatal(err)
		}
		scale, err := metrics.NewScale(base.Values, "")
		if err != nil {
			t.Fatal(err)
		}
		if n := scale.Noise(base.Again); n.Any() != c.want || n.Cases != 80 {
			t.Errorf("%s: %+v", name, n)
		}
		apart, err := Apart(t.Context(), p, []string{"c09", "c03"}, time.Now, 0)
		if err != nil || len(apart) != 2 || apart[0].Case != "c09" || apart[1].Case != "c03" {
			t.Errorf("%s: %+v, %v", name, apart, err)
		}
		a := New(p, files, scale, nil, time.Now)
		for _, factor := range []string{"3", "3", "4"} {
			r := a.Run(t.Context(), agent.Request{Config: agent.Config{"factor": "factor=" + factor + "\n"}, Task: agent.Task{Input: json.RawMessage(`{"case":"c09"}`)}})
			if r.Outcome != agent.OK {
				t.Fatalf("%s: %+v", name, r)
			}
		}
		if seen := a.Differing(); c.want != (len(seen) == 2) || !c.want && len(seen) > 0 {
			t.Errorf("%s: two starts on the current code and one on another show %+v", name, seen)
		}
	}
}

// nudge changes the factor.
type nudge struct{}

func (nudge) Name() string { return "nudge" }

func (nudge) Make(s operator.FailureContext, rng *rand.Rand) (operator.Child, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(s.Parent["factor"].(string), "factor=")))
	if err != nil {
		return operator.Child{}, false
	}
	n += rng.IntN(5) - 2
	return operator.Child{Config: agent.Config{"factor": fmt.Sprintf("factor=%d\n", n)}, Operator: "nudge", Rationale: "another factor"}, true
}

// TestNight runs a whole night over a target: the night finds the best version and confirms
// it on cases that the search never had.
func TestNight(t *testing.T) {
	t.Parallel()
	p, files := target(t)
	a, scale := open(t, p, files)
	suite, err := Suite("cases", scale, grade.Rules())
	if err != nil {
		t.Fatal(err)
	}
	list, problems := blocks.Find(files)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	space, champion := blocks.Space(list)
	store := archive.OpenMemory()
	run := archive.Run{ID: "1-target", Number: 1, State: archive.RunRunning, Agents: []string{"target"}, Seed: 1, Lookahead: 16, Concurrency: 2, BudgetEval: 700, Started: time.Now()}
	if err := store.PutRun(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	var proposed []night.Draft
	s := night.Spec{
		Agent: night.Agent{
			ID: "target", Adapter: "code", Hash: "target", Deterministic: true, Champion: champion, Space: space, Known: space, Suites: []*bench.Suite{suite},
		},
		Settings: night.Settings{Confirm: confirm.DefaultSettings()},
		Env: night.Env{
			Archive: store, Now: time.Now, Log: slog.New(slog.DiscardHandler), Drain: t.Context(),
			Sleep: func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) },
			Grading: func([]*bench.Suite, model.Model, []bench.Evaluation) (bench.GradeFunc, error) {
				return grade.New(nil, nil).Grade, nil
			},
			NewSearch: func(o mutate.Options) (mutate.Searcher, error) {
				return population.New(population.Options{Options: o, Operators: []operator.Operator{nudge{}}})
			},
		},
		Run: &run, Scratch: t.TempDir(), Budget: bench.NewBudget(0, time.Time{}, time.Now),
		Open: func(context.Context, string) (night.Opened, error) {
			return night.Opened{Agent: a, Identity: "target", Sandbox: "none", Close: func() error { return nil }}, nil
		},
		Propose: func(_ context.Context, d night.Draft) (night.Proposed, error) {
			proposed = append(proposed, d)
			return night.Proposed{ID: "P1"}, nil
		},
	}
	if s.Variances, err = night.EstimateVariances(t.Context(), store, &s.Agent, 1); err != nil {
		t.Fatal(err)
	}
	plan := s.NewPlan(nil)
	plan.Run = run.ID
	s.Allocate(&plan, 700)
	s.Plan, s.Share = &plan, night.Share{Evaluations: 700}
	out, err := night.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %s; %d search, %d evaluations", out.Result.Verdict, out.Result.Reason, plan.Search, out.Result.Search.Evaluations)
	if len(proposed) != 1 || proposed[0].Variant.Config["factor"] != "factor=7\n" {
		t.Fatalf("proposed: %+v, result %+v", proposed, out.Result)
	}
}
