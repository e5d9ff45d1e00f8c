package grade

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"evolve/bench"
)

// TestAskedProgramGetsOneLine checks that a program that keeps running between answers gets
// each request as one line of JSON.
func TestAskedProgramGetsOneLine(t *testing.T) {
	var c capture
	tk := task(t, "ref", `{"type":"command","argv":["python3","check.py"],"timeout":2,"protocol":"jsonl"}`)
	g := New(&c, func(*bench.Task) string { return "/suites" })
	var ids []string
	for range 2 {
		got, err := g.Grade(context.Background(), bench.GradeInput{Task: tk, Result: answered("a\nb"), Workdir: "/w"})
		if err != nil || got.Score != 1 || got.Grades[0].Reason != "the program gave no reason" {
			t.Fatalf("%+v, %v", got, err)
		}
		if c.got.Dir != "/suites" || c.got.Workdir != "" || c.got.Timeout != 2*time.Second || strings.Join(c.got.Argv, " ") != "python3 check.py" {
			t.Errorf("handed %+v", c.got)
		}
		if bytes.Count(c.got.Stdin, []byte("\n")) != 1 || !bytes.HasSuffix(c.got.Stdin, []byte("\n")) {
			t.Errorf("not one line: %q", c.got.Stdin)
		}
		var object map[string]any
		if err := json.Unmarshal(c.got.Stdin, &object); err != nil {
			t.Fatal(err)
		}
		if _, there := object["workdir"]; there || object["answer"] != "a\nb" || object["outcome"] != "ok" || object["id"] != c.got.ID || object["task"].(map[string]any)["id"] != "t" {
			t.Errorf("handed %s", c.got.Stdin)
		}
		ids = append(ids, c.got.ID)
	}
	if ids[0] == ids[1] || len(ids[0]) < 26 {
		t.Errorf("the ids can be guessed: %q", ids)
	}
}

// crashing is a runner for which every program that keeps running between answers fails.
type crashing struct {
	capture
	failure Failure
}

func (a *crashing) AskGrader(context.Context, Program, func([]byte) error) error { return &a.failure }

// TestAskedProgramThatFails tests that the crash of a program that keeps running between
// answers is an error of its grader.
func TestAskedProgramThatFails(t *testing.T) {
	tk := task(t, "ref", `{"type":"command","argv":["python3","check.py"],"protocol":"jsonl"}`)
	for want, failure := range map[string]Failure{
		`"python3 check.py" ended with exit code 1: "ImportError"`:   {Text: "ended with exit code 1", Stderr: "a\nImportError", Crashed: true},
		`"python3 check.py" wrote more than one line for one answer`: {Text: "wrote more than one line for one answer"},
		`"python3 check.py" took longer than 1m0s`:                   {Late: true},
	} {
		_, err := New(&crashing{failure: failure}, func(*bench.Task) string { return "" }).Grade(t.Context(), bench.GradeInput{Task: tk, Result: answered("x")})
		var broken *bench.GraderError
		if !errors.As(err, &broken) || broken.Error() != want || broken.Crashed != failure.Crashed {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestVerdictOn(t *testing.T) {
	for line, want := range map[string]string{
		`{"id":"q","score":0.25,"reason":"one of four"}`:   "",
		` {"score":0.25,"reason":"one of four","id":"q"} `: "",
		`{"id":"p","score":1}`:                             `answered with the id "p" instead of the id of the question`,
		`{"score":1}`:                                      `answered with the id "" instead of the id of the question`,
		`{"id":"q"}`:                                       "wrote a verdict without a score",
		`{"id":"q","score":null}`:                          "wrote a verdict without a score",
		`{"id":"q","score":1.01}`:                          "gave the score 1.01, which is not between 0 and 1",
		`{"id":"q","score":NaN}`:                           `wrote a line that is not a verdict: "{\"id\":\"q\",\"score\":NaN}": it is not JSON such as {"score": 0.5}`,
		`{"id":"q","score":"0.5"}`:                         `wrote a line that is not a verdict: "{\"id\":\"q\",\"score\":\"0.5\"}": "score" must be a number, not text`,
		`{"id":"q","score":true}`:                          `wrote a line that is not a verdict: "{\"id\":\"q\",\"score\":true}": "score" must be a number, not true or false`,
		`{"id":7,"score":1}`:                               `wrote a line that is not a verdict: "{\"id\":7,\"score\":1}": "id" must be text, not a number`,
		`[1]`:                                              `wrote a line that is not a verdict: "[1]": a verdict is a JSON object, not a list`,
		`0.5`:                                              `wrote a line that is not a verdict: "0.5": a verdict is a JSON object, not a number`,
		`{"id":"q","scor":1}`:                              `wrote a line that is not a verdict: "{\"id\":\"q\",\"scor\":1}": there is no key "scor"`,
		`{"id":"q","score":1} {}`:                          `wrote a line that is not a verdict: "{\"id\":\"q\",\"score\":1} {}": it is not JSON such as {"score": 0.5}`,
		`{"id":"q","score":0,"Score":1}`:                   `wrote a verdict that gives "Score" twice`,
		`{"id":"p","score":1,"ID":"q"}`:                    `wrote a verdict that gives "ID" twice`,
		`null`:                                             `answered with the id "" instead of the id of the question`,
		``:                                                 `wrote a line that is not a verdict: "": it is not JSON such as {"score": 0.5}`,
		`loading…`:                                         `wrote a line that is not a verdict: "loading…": it is not JSON such as {"score": 0.5}`,
	} {
		v, err := verdictOn([]byte(line), "q")
		switch {
		case want == "" && (err != nil || v.score != .25 || v.reason != "one of four"):
			t.Errorf("%s: %+v, %v", line, v, err)
		case want != "" && (err == nil || err.Error() != want):
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// FuzzVerdictOn checks that any line gives a score in [0,1] for the right id, or an error.
func FuzzVerdictOn(f *testing.F) {
	f.Add([]byte(`{"id":"q","score":0.5,"reason":"x"}`))
	f.Add([]byte(`{"id":"q","score":1e-400}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if v, err := verdictOn(line, "q"); err == nil && !(v.score >= 0 && v.score <= 1 && bytes.Contains(line, []byte("q"))) && !bytes.Contains(line, []byte(`\u`)) {
			t.Fatalf("%+v of %q", v, line)
		}
	})
}

func TestProtocolProblems(t *testing.T) {
	const refusal = `a program that uses the protocol "jsonl" cannot see the files of this task: omit "protocol" so that the program is started for each answer`
	for name, c := range map[string]struct {
		protocol string
		fixtures bench.Fixtures
		want     string
	}{
		"without files": {`"jsonl"`, bench.Fixtures{}, ""},
		"null":          {`null`, bench.Fixtures{Dir: "d"}, ""},
		"a file":        {`"jsonl"`, bench.Fixtures{Files: map[string]string{"a": "b"}}, refusal},
		"a folder":      {`"jsonl"`, bench.Fixtures{Dir: "d"}, refusal},
		"another":       {`"grpc"`, bench.Fixtures{}, `the protocol "grpc" is unknown: use "jsonl", or omit "protocol" to start the program for each answer`},
		"no text":       {`1`, bench.Fixtures{}, `"protocol" must be text`},
		"nothing":       {`""`, bench.Fixtures{}, `"protocol" is empty`},
	} {
		tk := task(t, "ref", `{"type":"command","argv":["x"],"protocol":`+c.protocol+`}`)
		tk.Fixtures = c.fixtures
		problems := Check(tk, tk.Graders[0])
		switch {
		case c.want == "" && len(problems) > 0:
			t.Errorf("%s: %v", name, problems)
		case c.want != "" && (len(problems) != 1 || problems[0] != bench.GraderProblem{Field: "protocol", Text: c.want}):
			t.Errorf("%s: %q, want %q", name, problems, c.want)
		}
	}
}

// TestProtocolIsPartOfTheTask tests that evaluations made with another protocol do not
// count as evidence.
func TestProtocolIsPartOfTheTask(t *testing.T) {
	hash := func(grader string) string { return bench.HashTask(task(t, "ref", grader), "") }
	plain, asked := hash(`{"type":"command","argv":["x"]}`), hash(`{"type":"command","argv":["x"],"protocol":"jsonl"}`)
	if plain == asked {
		t.Error("the hash of a task is the same with another protocol")
	}
}
