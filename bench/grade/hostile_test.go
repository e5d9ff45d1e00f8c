package grade

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/bench"
	"evolve/runtime/agent"
)

// everyGrader has at least one grader of each type that needs no program.
var everyGrader = []string{
	`{"type":"exact","answer":["a","1"]}`, `{"type":"contains","all":["a"],"any":["b","c"],"ignore_case":true}`, `{"type":"regex","pattern":"a*b?$"}`,
	`{"type":"numeric","answer":[0,"1,234 %"],"tolerance":1e300,"percent":true}`, `{"type":"numeric","answer":1.5e308,"relative":1,"pick":"first"}`,
	`{"type":"json_schema","schema":{"type":"array","items":{"multipleOf":0.1},"uniqueItems":true}}`, `{"type":"json_path","path":"$.*[-1]['a']","answer":[1]}`,
	`{"type":"f1","answer":["","the"]}`, `{"type":"rouge_l","answer":"!"}`, `{"type":"set","answer":["a"]}`, `{"type":"tool_called","tool":"t"}`,
	`{"type":"tool_not_called","tool":"t"}`, `{"type":"tool_order","tools":["t","u"]}`, `{"type":"outcome","outcome":["ok","denied"]}`,
	`{"type":"max_cost","usd":1}`, `{"type":"max_latency","seconds":1}`, `{"type":"reported"}`,
}

// TestScoresStayInRange checks that for any result of an agent the score is in [0,1], and
// that grading again gives the same score.
func TestScoresStayInRange(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var specs []string
		for range rapid.IntRange(1, 4).Draw(rt, "n") {
			g := rapid.SampledFrom(everyGrader).Draw(rt, "grader")
			g = strings.TrimSuffix(g, "}") + rapid.SampledFrom([]string{"}", `,"not":true}`, `,"weight":1e6}`, `,"weight":1e-300,"threshold":0.3}`}).Draw(rt, "more")
			specs = append(specs, g)
		}
		res := agent.Result{Outcome: rapid.SampledFrom([]agent.Outcome{agent.OK, agent.Denied, agent.LowUtility, agent.Timeout, "", "odd"}).Draw(rt, "outcome")}
		if rapid.Bool().Draw(rt, "answers") {
			text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[-−]?[0-9,.e%]{0,12}`), rapid.StringMatching(`[\[\]{}":,0-9ea]{0,20}`)).Draw(rt, "answer")
			res.Answer = &text
		}
		claim := rapid.SampledFrom([]float64{0, 1, .5, -1, math.NaN(), math.Inf(1), math.Inf(-1)}).Draw(rt, "score")
		res.Score = &claim
		res.Usage.CostUSD = rapid.SampledFrom([]float64{0, 2, -1, math.NaN(), math.Inf(1)}).Draw(rt, "cost")
		tk := task(t, "", specs...)
		g := gradeOne(t, tk, res)
		if !(g.Score >= 0 && g.Score <= 1) {
			rt.Fatalf("score %v", g.Score)
		}
		all := true
		for _, one := range g.Grades {
			if !(one.Score >= 0 && one.Score <= 1) || len(one.Reason) > maxReason+10 {
				rt.Fatalf("grade %+v", one)
			}
			all = all && one.Pass
		}
		if all != g.Pass {
			rt.Fatalf("pass %v of %+v", g.Pass, g.Grades)
		}
		if d := cmp.Diff(g, gradeOne(t, tk, res)); d != "" {
			rt.Fatalf("graded again: %s", d)
		}
	})
}

// TestHugeAnswers checks that a huge answer takes little time to grade and scores 0.
func TestHugeAnswers(t *testing.T) {
	flood := strings.Repeat("1 ", maxAnswer)
	long := strings.Repeat("a b ", maxAnswer/4)
	for _, g := range everyGrader[:10] {
		if got := gradeOne(t, task(t, "", g), answered(flood)); got.Score != 0 {
			t.Errorf("%s: %+v", g, got)
		}
		gradeOne(t, task(t, "", g), answered(long))
	}
}

func FuzzGraders(f *testing.F) {
	for _, g := range everyGrader {
		f.Add(g, "a, b 1,234 {\"a\":[1]}")
	}
	f.Add(`{"type":"command","argv":["x"],"timeout":null}`, "")
	f.Add(`{"type":"json_schema","schema":{"$ref":"#"}}`, "```\n{}")
	f.Add(`{"type":"json_schema","schema":{"$defs":{"a":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}}`, "[]")
	f.Fuzz(func(t *testing.T, grader, answer string) {
		var spec bench.GraderSpec
		if json.Unmarshal([]byte(grader), &spec) != nil || spec.Type == "command" {
			return
		}
		ref := "a b"
		tk := &bench.Task{ID: "t", Answer: &ref, Graders: []bench.GraderSpec{spec}}
		g, err := compile(tk, means{})
		if (err == nil) != (len(Check(tk, spec)) == 0) {
			t.Fatalf("checked and compiled differ: %v", err)
		}
		if err != nil {
			return
		}
		got, err := g.Grade(context.Background(), bench.GradeInput{Task: tk, Result: answered(answer)})
		if err != nil || !(got.Score >= 0 && got.Score <= 1) {
			t.Fatalf("%+v, %v", got, err)
		}
	})
}
