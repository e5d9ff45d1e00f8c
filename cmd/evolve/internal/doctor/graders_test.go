package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"

	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
)

// TestGraderChecks checks how doctor reports each program of a suite, and the judges' routes.
func TestGraderChecks(t *testing.T) {
	builtins := testBuiltins()
	builtins.Graders = bench.GraderRules{Fields: map[string][]string{"exact": {"answer"}, "command": {"argv"}, "judge": {"route", "rubric"}}}
	root := build(t, spoil(map[string]string{
		"suites/check.sh": "exit 0\n",
		"suites/tasks.jsonl": `{"id":"t1","goal":"say a","graders":[{"type":"command","argv":["sh","check.sh"]}],"split":"search"}` + "\n" +
			`{"id":"t2","goal":"say b","graders":[{"type":"command","argv":["sh","check.sh"]},{"type":"exact","answer":"b"}],"split":"holdout"}` + "\n" +
			`{"id":"t3","goal":"count the lorries","graders":[{"type":"command","argv":["sh","gone.sh"]}],"split":"search"}` + "\n" +
			`{"id":"t4","goal":"name a bird","graders":[{"type":"command","argv":["no-such-grader"]}],"split":"search"}` + "\n",
		"suites/unused.jsonl": `{"id":"u1","goal":"say a","graders":[{"type":"command","argv":["no-such-grader"]}]}` + "\n",
	}))
	w, err := workspace.Load(root, builtins)
	if err != nil {
		t.Fatal(err)
	}
	p := healthy(t, root)
	p.LookPath = func(name string) (string, error) {
		if name == "sh" {
			return "/bin/sh", nil
		}
		return "", errors.New("not here")
	}
	good := GraderTrial{Task: "t1", Own: true, Score: 1}
	for name, c := range map[string]struct {
		trial func(*GraderTrial)
		err   error
		want  Status
		says  string
	}{
		"good":            {trial: func(*GraderTrial) {}, want: StatusOK, says: `"sh check.sh", which grades task "t1" and 1 more: score 1.000 for the expected answer to task t1`},
		"made up":         {trial: func(x *GraderTrial) { x.Own = false }, want: StatusOK, says: "for an invented answer"},
		"crash":           {trial: func(x *GraderTrial) { x.Ungraded = "a crash" }, want: StatusFail, says: "it could not grade the expected answer to task t1: a crash"},
		"crash, made up":  {trial: func(x *GraderTrial) { x.Own, x.Ungraded = false, "a crash" }, want: StatusWarn, says: "it could not grade an invented answer to task t1: a crash"},
		"cannot start":    {trial: func(x *GraderTrial) { x.Own, x.Ungraded, x.Unstartable = false, "no", true }, want: StatusFail, says: "to task t1: no"},
		"late":            {trial: func(x *GraderTrial) { x.Late = true }, want: StatusWarn, says: "within the time allowed for a trial"},
		"no task":         {trial: func(x *GraderTrial) { *x = GraderTrial{} }, want: StatusOK, says: "it exists but was not tried"},
		"the sandbox":     {trial: func(*GraderTrial) {}, err: errors.New("no walls"), want: StatusFail, says: "it cannot be tried: no walls"},
		"without a trial": {want: StatusOK, says: "exists"},
	} {
		p.Grade = nil
		if c.trial != nil {
			p.Grade = func(_ context.Context, g workspace.GraderProgram) (GraderTrial, error) {
				one := good
				c.trial(&one)
				return one, c.err
			}
		}
		got := checkGraders(t.Context(), p, w, nil)
		if len(got) != 3 || got[0].Name != "grader tasks" || got[0].Status != c.want || !strings.Contains(got[0].Text, c.says) {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		if got[1].Status != StatusFail || !strings.HasSuffix(got[1].Text, `the script "gone.sh" that its program "sh" runs cannot be found`) {
			t.Errorf("%s: %+v", name, got[1])
		}
		if got[2].Status != StatusFail || !strings.Contains(got[2].Text, `its program "no-such-grader" cannot be run: not here`) || got[2].Hint == "" {
			t.Errorf("%s: %+v", name, got[2])
		}
	}
}

func TestJudgeRouteChecks(t *testing.T) {
	builtins := testBuiltins()
	builtins.Graders = bench.GraderRules{Fields: map[string][]string{"judge": {"route", "rubric"}}}
	root := build(t, spoil(map[string]string{
		"evolve.yaml": "providers:\n  p: {kind: openai, base_url: \"http://127.0.0.1:1/v1\", key_env: SOME_KEY}\nroutes:\n  default: {provider: p, model: m}\n",
		"suites/tasks.jsonl": `{"id":"t1","goal":"say a","graders":[{"type":"judge","rubric":"kind"}],"split":"search"}` + "\n" +
			`{"id":"t2","goal":"name a bird","graders":[{"type":"judge","rubric":"kind","route":"gone"}],"split":"search"}` + "\n",
	}))
	w, err := workspace.Load(root, builtins)
	if err != nil {
		t.Fatal(err)
	}
	p := healthy(t, root)
	for name, c := range map[string]struct {
		set    bool
		before []Check
		want   Status
		says   string
	}{
		"no key":    {want: StatusWarn, says: `the judge on the route default, which grades task "t1": SOME_KEY is not set in the environment`},
		"no answer": {set: true, before: []Check{fail("provider p", "", "HTTP 401")}, want: StatusFail, says: "its provider p does not answer"},
	} {
		p.LookupEnv = func(string) (string, bool) { return "x", c.set }
		got := checkGraders(t.Context(), p, w, c.before)
		if len(got) != 2 || got[0].Status != c.want || !strings.Contains(got[0].Text, c.says) {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		if got[1].Status != StatusFail || !strings.Contains(got[1].Text, `the judge on the route gone, which grades task "t2": this route does not exist`) {
			t.Errorf("%s: %+v", name, got[1])
		}
	}
}
