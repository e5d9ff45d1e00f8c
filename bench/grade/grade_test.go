package grade

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/bench"
	"evolve/runtime/agent"
)

// task returns a task with the given graders, each a JSON object.
func task(t testing.TB, answer string, graders ...string) *bench.Task {
	t.Helper()
	task := &bench.Task{ID: "t", Goal: "g"}
	if answer != "" {
		task.Answer = &answer
	}
	for _, g := range graders {
		var spec bench.GraderSpec
		if err := json.Unmarshal([]byte(g), &spec); err != nil {
			t.Fatalf("%s: %v", g, err)
		}
		task.Graders = append(task.Graders, spec)
	}
	return task
}

func answered(text string) agent.Result {
	return agent.Result{Answer: &text, Outcome: agent.OK}
}

func gradeOne(t testing.TB, task *bench.Task, res agent.Result) bench.Grading {
	t.Helper()
	g, err := compile(task, means{})
	if err != nil {
		t.Fatal(err)
	}
	grading, err := g.Grade(context.Background(), bench.GradeInput{Task: task, Result: res})
	if err != nil {
		t.Fatal(err)
	}
	return grading
}

func TestConduct(t *testing.T) {
	res := answered("x")
	for _, name := range []string{"search", "read", "calc", "read"} {
		res.Transcript.Add(0, agent.Event{Kind: agent.EventTool, Name: name})
	}
	res.Transcript.Add(0, agent.Event{Kind: agent.EventModel, Name: "write"})
	res.Usage.CostUSD = .02
	half := .5
	res.Score = &half
	for grader, want := range map[string]float64{
		`{"type":"tool_called","tool":"calc"}`:                        1,
		`{"type":"tool_called","tool":"write"}`:                       0,
		`{"type":"tool_not_called","tool":"write"}`:                   1,
		`{"type":"tool_not_called","tool":"calc"}`:                    0,
		`{"type":"tool_order","tools":["search","calc"]}`:             1,
		`{"type":"tool_order","tools":["calc","search"]}`:             .5,
		`{"type":"tool_order","tools":["read","read"]}`:               1,
		`{"type":"outcome","outcome":"ok"}`:                           1,
		`{"type":"outcome","outcome":["denied","low_utility"]}`:       0,
		`{"type":"max_cost","usd":0.02}`:                              1,
		`{"type":"max_cost","usd":0.01}`:                              0,
		`{"type":"max_latency","seconds":2}`:                          1,
		`{"type":"max_latency","seconds":0.5}`:                        0,
		`{"type":"reported"}`:                                         .5,
		`{"type":"reported","not":true,"threshold":0.4,"weight":3.5}`: .5,
	} {
		g, err := compile(task(t, "", grader), means{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := g.Grade(context.Background(), bench.GradeInput{Result: res, Latency: time.Second})
		if err != nil || got.Score != want {
			t.Errorf("%s: %+v (%v), want %v", grader, got, err, want)
		}
	}
}

// TestLatencyOfAStart checks that the time that a process takes to start does not make an
// answer fail.
func TestLatencyOfAStart(t *testing.T) {
	g, err := compile(task(t, "", `{"type":"max_latency","seconds":0.5}`), means{})
	if err != nil {
		t.Fatal(err)
	}
	res := answered("x")
	res.Started = true
	for _, took := range []time.Duration{time.Second, time.Second / 4} {
		if got, err := g.Grade(context.Background(), bench.GradeInput{Result: res, Latency: took}); err != nil || got.Score != 1 {
			t.Errorf("%s with the start of a process: %+v (%v)", took, got, err)
		}
	}
}

// TestReportedCountsOnlyWhenAsked checks that a reported score is used only by a reported
// grader.
func TestReportedCountsOnlyWhenAsked(t *testing.T) {
	one, nan, two := 1., math.NaN(), 2.
	res := answered("wrong")
	res.Score = &one
	if g := gradeOne(t, task(t, "right"), res); g.Score != 0 || g.Pass {
		t.Errorf("an unasked score was used: %+v", g)
	}
	for _, claim := range []*float64{nil, &nan, &two} {
		res := agent.Result{Outcome: agent.OK, Score: claim}
		for _, grader := range []string{`{"type":"reported"}`, `{"type":"reported","not":true}`} {
			if g := gradeOne(t, task(t, "", grader), res); g.Score != 0 || g.Pass || g.Grades[0].Reason == "" {
				t.Errorf("%s of %v: %+v", grader, claim, g)
			}
		}
	}
}

func TestCombination(t *testing.T) {
	g := gradeOne(t, task(t, "", `{"type":"contains","answer":"a","weight":3}`, `{"type":"contains","answer":"b"}`), answered("a"))
	want := bench.Grading{Score: .75, Pass: false, Grades: []bench.Grade{
		{Type: "contains", Score: 1, Pass: true, Weight: 3, Reason: "contains everything that is required"},
		{Type: "contains", Score: 0, Pass: false, Weight: 1, Reason: `contains none of "b"`},
	}}
	if d := cmp.Diff(want, g); d != "" {
		t.Error(d)
	}
	if g := gradeOne(t, task(t, "", `{"type":"exact","answer":"x"}`, `{"type":"f1","answer":"x y"}`), answered("x")); !g.Pass {
		t.Errorf("both pass and the task does not: %+v", g)
	}
}

// TestUngradable checks that a failed run scores 0 with any grader.
func TestUngradable(t *testing.T) {
	inverted := []string{
		`{"type":"exact","answer":"x","not":true}`, `{"type":"contains","any":["x"],"not":true}`, `{"type":"regex","pattern":"x","not":true}`,
		`{"type":"numeric","answer":1,"not":true}`, `{"type":"tool_not_called","tool":"x"}`, `{"type":"outcome","outcome":"ok","not":true}`,
		`{"type":"outcome","outcome":"denied"}`, `{"type":"max_cost","usd":1}`, `{"type":"reported","not":true}`, `{"type":"json_schema","schema":true,"not":true}`,
	}
	for _, o := range agent.Outcomes() {
		if o.Gradable() || o.Missing() || o == agent.Denied {
			continue
		}
		for _, grader := range inverted {
			text := "answer"
			g := gradeOne(t, task(t, "", grader), agent.Result{Outcome: o, Answer: &text, Error: "boom"})
			if g.Score != 0 || g.Pass || g.Grades[0].Reason != `outcome "`+string(o)+`": boom` {
				t.Errorf("%s on %s: %+v", grader, o, g)
			}
		}
	}
	// If there is no answer, inverting a grader that reads the answer does not help.
	for _, grader := range inverted[:4] {
		if g := gradeOne(t, task(t, "", grader), agent.Result{Outcome: agent.OK}); g.Score != 0 || g.Pass {
			t.Errorf("%s without an answer: %+v", grader, g)
		}
	}
	// If one grader expects the outcome, the other graders contribute to the score too.
	denied := agent.Result{Outcome: agent.Denied}
	for graders, want := range map[*[]string]float64{
		{`{"type":"outcome","outcome":"denied"}`}:                                                 1,
		{`{"type":"outcome","outcome":["timeout","denied"]}`, `{"type":"exact","answer":"x"}`}:    .5,
		{`{"type":"outcome","outcome":"denied"}`, `{"type":"tool_not_called","tool":"rm"}`}:       1,
		{`{"type":"outcome","outcome":"denied","not":true}`}:                                      0,
		{`{"type":"outcome","outcome":"timeout"}`, `{"type":"tool_not_called","tool":"rm"}`}:      0,
		{`{"type":"outcome","outcome":"denied"}`, `{"type":"exact","answer":"x","not":true}`}:     .5,
		{`{"type":"outcome","outcome":"denied","weight":3}`, `{"type":"exact","answer":"x"}`}:     .75,
		{`{"type":"outcome","outcome":"ok"}`, `{"type":"outcome","outcome":"denied","weight":1}`}: .5,
	} {
		if g := gradeOne(t, task(t, "", *graders...), denied); g.Score != want {
			t.Errorf("%v on denied: %+v, want %v", *graders, g, want)
		}
	}
	for _, o := range []agent.Outcome{agent.Infrastructure, agent.Cancelled} {
		g, err := compile(task(t, "x"), means{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Grade(context.Background(), bench.GradeInput{Result: agent.Result{Outcome: o}}); err == nil {
			t.Errorf("%s was graded", o)
		}
	}
}

// TestGradersCompileOnce also tests concurrent use (under -race).
func TestGradersCompileOnce(t *testing.T) {
	tk := task(t, "7")
	g := New(nil, func(*bench.Task) string { return "suites" })
	done := make(chan error, 8)
	for range cap(done) {
		go func() {
			got, err := g.Grade(context.Background(), bench.GradeInput{Task: tk, Result: answered("7")})
			if err == nil && got.Score != 1 {
				err = context.Canceled
			}
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
