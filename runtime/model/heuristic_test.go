package model

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/tool"
)

func next(t testing.TB, req Request) Reply {
	t.Helper()
	if req.Remaining == 0 {
		req.Remaining = 8
	}
	r, err := NewHeuristic(memory.NewLexicon()).Next(context.Background(), &req)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEveryDirectiveIsDocumented tests that the package comment lists every directive.
func TestEveryDirectiveIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range directives {
		if !strings.Contains(string(doc), "//\t"+d.line+" ") {
			t.Errorf("%q is not documented", d.line)
		}
	}
}

func precedent(answer string, score float64) memory.Hit {
	return memory.Hit{Memory: agent.Memory{Text: answer, Answer: answer}, Score: score}
}

func TestVote(t *testing.T) {
	hits := []memory.Hit{precedent("a", .8), precedent("b", .75), precedent("b", .7)}
	for strategy, want := range map[string]string{"": "b", "vote: nearest": "a"} {
		if r := next(t, Request{Goal: "x", Memories: hits, Strategy: strategy}); r.Answer != want || r.Confidence != .8 {
			t.Errorf("%q: %+v", strategy, r)
		}
	}
	// Two less similar memories do not outweigh one very similar memory.
	hits = []memory.Hit{precedent("a", .95), precedent("b", .6), precedent("b", .6)}
	if r := next(t, Request{Goal: "x", Memories: hits}); r.Answer != "a" {
		t.Errorf("%+v", r)
	}
}

func spec(name string) tool.Spec {
	for _, b := range tool.Builtin() {
		if b.Spec().Name == name {
			return b.Spec()
		}
	}
	panic("no tool " + name)
}

func TestChoiceOfTools(t *testing.T) {
	base := Request{
		Goal: "What is 2 * 3?", Tools: []tool.Spec{spec("get_time"), spec("calculate")},
		Choice: Choice{PatternWeight: .8, PerformanceWeight: .2, Cutoff: .15},
	}
	for name, c := range map[string]struct {
		change func(*Request)
		want   string
	}{
		"default":    {func(*Request) {}, "calculate"},
		"cutoff":     {func(r *Request) { r.Choice.Cutoff = .95 }, ""},
		"never":      {func(r *Request) { r.Strategy = "never calculate" }, ""},
		"elsewhere":  {func(r *Request) { r.Strategy = "never calculate in research"; r.Domain = "crypto" }, "calculate"},
		"avoid":      {func(r *Request) { r.Strategy = "avoid calculate"; r.Choice.Cutoff = .5 }, ""},
		"prefer":     {func(r *Request) { r.Strategy = "prefer calculate"; r.Choice.Cutoff = 1 }, "calculate"},
		"not active": {func(r *Request) { r.Tools = r.Tools[:1] }, ""},
		"last call":  {func(r *Request) { r.Remaining = 1 }, ""},
		"useless": {func(r *Request) {
			r.Choice = Choice{PatternWeight: 0, PerformanceWeight: 1, Cutoff: .2}
			r.Usefulness = func(Call) float64 { return .1 }
		}, ""},
	} {
		req := base
		c.change(&req)
		got := ""
		if r := next(t, req); len(r.Calls) > 0 {
			got = r.Calls[0].Tool
		}
		if got != c.want {
			t.Errorf("%s: calls %q, want %q", name, got, c.want)
		}
	}
}

func TestBoundaries(t *testing.T) {
	for goal, want := range map[string]bool{
		"Send the newsletter": true, "Please restart the server": true, "Could you book a table": true,
		"Browse the web for news": true, "What's the weather in Rome?": true, "Edit prices.csv": true,
		"How is the server restarted?": false, "Which mail address has support?": false, "Order the items by price": false,
		"Write down the number of files": false, "Add 3 and 4": false, "What changes on Monday?": false,
		"Start with the first line of a.md": false,
	} {
		q := read(memory.NewLexicon(), goal)
		b := q.boundary(false)
		if (b != nil) != want {
			t.Errorf("%q: %+v", goal, b)
		}
		if b != nil {
			if _, err := b.Normalize(); err != nil {
				t.Errorf("%q: %v", goal, err)
			}
		}
	}
	if read(memory.NewLexicon(), "Which mail address has support by e-mail?").boundary(true) == nil {
		t.Error("a mention is no demand when referring early")
	}
}

func TestExpressions(t *testing.T) {
	for goal, want := range map[string]string{
		"What is 18% of 2,350?": "18% of 2350", "What is (412 + 88) * 3?": "(412 + 88) * 3", "12 plus 30 times 2": "12 + 30 * 2",
		"How much are 14 units at 32.50 each?": "(14 * 32.50)", "the average of 3, 4 and 8": "avg(3,4,8)",
		"What is the sum of 1,200 and 3?": "sum(1200,3)", "square root of 144": "sqrt(144)", "7 squared": "7 ^ 2",
		"increase 80 by 15 percent": "(80 * (1 + 15 / 100))", "difference between 9 and 4": "abs(9 - 4)",
		"What happened on 2026-03-01?": "", "Who owns LK-204?": "", "open 24/7 hotline": "24/7", "no numbers": "",
		"half of 9": "0.5 * 9", "What is 3 x 4": "3 * 4", "10 divided by 4": "10 / 4", "page 3 of 10": "",
	} {
		if got, _ := read(memory.NewLexicon(), goal).expression(); got != want {
			t.Errorf("%q: %q, want %q", goal, got, want)
		}
	}
}

func TestInTheHead(t *testing.T) {
	for expr, want := range map[string]string{
		"2+3": "5", "2+3*4": "20", "10.50+3.25": "13", "7/2": "3", "15% of 80": "12", "(1+2+4)/3": "2", "2^10": "1024", "5/0": "5", "": "0",
	} {
		if got := mentalArithmetic(expr); got != want {
			t.Errorf("%s: %s, want %s", expr, got, want)
		}
	}
}

func TestTime(t *testing.T) {
	now := "2026-04-20T08:05:00Z Monday"
	for goal, want := range map[string]string{
		"What time is it?": "08:05", "What is today's date?": "2026-04-20", "Which day is it today?": "Monday", "What year is it?": "2026",
		"How many days until 2026-05-01?": "11", "How many weeks until May 1, 2026?": "1", "How many days since 2026-04-01?": "19",
		"What weekday is 2026-04-21?": "Tuesday",
	} {
		if got, _ := read(memory.NewLexicon(), goal).timeAnswer(now); got != want {
			t.Errorf("%q: %q, want %q", goal, got, want)
		}
	}
	if got := read(memory.NewLexicon(), "What time is it in UTC+2?").zone(); got != "utc+2" {
		t.Errorf("zone %q", got)
	}
	if got := read(memory.NewLexicon(), "What time is it in Lisbon?").zone(); got != "Lisbon" {
		t.Errorf("zone %q", got)
	}
}

func TestSynthesis(t *testing.T) {
	prices := []Finding{
		{Goal: "What is the price of A?", Subject: "A", Answer: "12.50 EUR", Value: "12.50 EUR", Confidence: .9},
		{Goal: "What is the price of B?", Subject: "B", Answer: "3.20", Value: "3.20", Confidence: .7},
	}
	chain := []Finding{{Goal: "find who owns billing", Answer: "Ana owns it.", Value: "Ana", Confidence: 1}, {Goal: "find their phone", Answer: "123", Value: "123", Confidence: .8}}
	lost := []Finding{chain[0], {Goal: "find their phone", Answer: "unknown", Unsure: true}}
	for _, c := range []struct {
		goal, strategy string
		findings       []Finding
		want           string
	}{
		{"Compare the price of A and B", "", prices, "A: 12.50 EUR; B: 3.20"},
		{"Which is cheaper, A or B?", "", prices, "B"},
		{"Which is more expensive, A or B?", "", prices, "A"},
		{"Which is cheaper, A or B?", "combine: all", prices, "A: 12.50 EUR; B: 3.20"},
		{"Difference between the price of A and B", "", prices, "9.3"},
		{"chain", "", chain, "123"},
		{"chain", "combine: all", chain, "Ana owns it.; 123"},
		{"chain", "", lost, "unknown"},
		{"pair", "", []Finding{chain[0], {Goal: "count files", Answer: "3"}}, "Ana owns it.; 3"},
		{"pair", "combine: last", []Finding{chain[0], {Goal: "count files", Answer: "3"}}, "3"},
	} {
		if r := next(t, Request{Goal: c.goal, Findings: c.findings, Synthesis: true, Strategy: c.strategy}); r.Answer != c.want {
			t.Errorf("%s [%s]: %q, want %q", c.goal, c.strategy, r.Answer, c.want)
		}
	}
	if got := resolve("find that person's phone in b.csv", chain[:1]); got != "find Ana phone in b.csv" {
		t.Errorf("%q", got)
	}
	if got := resolve("find that person's phone", lost[1:]); got != "find that person's phone" {
		t.Errorf("%q", got)
	}
}

// best returns the best evidence that a text contains for a goal.
func best(goal, file, text string) evidence {
	q := read(memory.NewLexicon(), goal)
	all := q.search(source{text: text, file: file, origin: fromFile})
	if len(all) == 0 {
		return evidence{}
	}
	rank(all, acceptDefault, "", false)
	return all[0]
}

func TestSearch(t *testing.T) {
	for _, c := range []struct{ goal, file, text, want string }{
		{"What is the timeout of billing?", "a.md", "## Search\ntimeout: 1 s\n\n## Billing\ntimeout: 30 s\n", "30 s"},
		{"What is the timeout of billing?", "a.yaml", "search:\n  timeout: 1 s\nbilling:\n  timeout: 30 s\n", "30 s"},
		{"Who leads the harbour team?", "a.md", "Bo paints. Ida Holm leads the harbour team since 2024.", "Ida Holm"},
		{"When does the shop close?", "a.md", "The shop closes at 22:00.", "22:00"},
		{"What is the phone of Bo Lind?", "c.csv", "name,phone\nAna,1\nBo Lind,2\n", "2"},
		{"What is the fee of the team plan?", "c.md", "| plan | fee |\n|---|---|\n| basic | 1 |\n| team | 2 |\n", "2"},
		{"Which city has the lowest rent?", "c.csv", "city,rent\nA,\"1,200\"\nB,900\n", "B"},
		{"total rent", "c.csv", "city,rent\nA,\"1,200\"\nB,900\n", "2100"},
		{"What is the port?", "a.conf", "host = x\nport = 8443\n", "8443"},
	} {
		e := best(c.goal, c.file, c.text)
		if e.short() != c.want || e.score < acceptDefault {
			t.Errorf("%s in %q: %q (%.2f), want %q", c.goal, c.text, e.short(), e.score, c.want)
		}
	}
}

func TestRank(t *testing.T) {
	at := func(d int) time.Time { return time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC) }
	all := func() []evidence {
		return []evidence{
			{value: "best", score: .9, time: at(1), origin: fromFile},
			{value: "newer", score: .8, time: at(5), origin: fromFile},
			{value: "newest but poor", score: .55, time: at(9), origin: fromFile},
			{value: "remembered", score: .7, origin: fromMemory},
			{value: "below", score: .2, time: at(20), origin: fromMemory},
		}
	}
	for _, c := range []struct {
		prefer string
		newest bool
		want   string
	}{{"", false, "best"}, {"", true, "newer"}, {"memory", false, "remembered"}, {"files", true, "newer"}} {
		got := all()
		rank(got, .5, c.prefer, c.newest)
		if got[0].value != c.want {
			t.Errorf("%+v: %s", c, got[0].value)
		}
		if len(got) != 5 || got[4].value != "below" {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestRejectedAnswerIsNotGivenAgainWhileThereIsAnother(t *testing.T) {
	req := Request{
		Goal: "What is the gate code?", Memories: []memory.Hit{
			{Memory: agent.Memory{Text: "gate code: none"}, Score: 1}, {Memory: agent.Memory{Text: "the gate code: 7"}, Score: .9},
		},
	}
	if r := next(t, req); r.Answer != "none" {
		t.Errorf("%+v", r)
	}
	req.Rejected = []string{"none"}
	if r := next(t, req); r.Answer != "7" {
		t.Errorf("%+v", r)
	}
	req.Memories = req.Memories[:1]
	if r := next(t, req); r.Answer != "none" {
		t.Errorf("%+v", r)
	}
}

func TestCallsHaveStableArguments(t *testing.T) {
	a, b := newCall("x", map[string]any{"b": 1, "a": "<"}), newCall("x", map[string]any{"a": "<", "b": 1})
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
	if !json.Valid(a.Arguments) {
		t.Errorf("%s", a.Arguments)
	}
}

func FuzzNext(f *testing.F) {
	f.Add("Compare the price of A and B", "grep", "a.csv:1: x,y", "trust newest")
	f.Add("How many days until 2026-99-99?", "get_time", "2026-04-20T08:05:00Z Monday", "")
	f.Add("total x in a.csv", "read_file", "x,y\n1,\"2\n", "verify arithmetic")
	f.Add("list | of", "read_file", "|a|\n|-|\n|b|c|d|\n- x\n- y", "lists: sorted")
	f.Add("which packages import \xff", "dependency_map", "{\"packages\":[{}]}", "")
	h := NewHeuristic(memory.NewLexicon())
	specs := []tool.Spec{}
	for _, b := range tool.Builtin() {
		specs = append(specs, b.Spec())
	}
	f.Fuzz(func(t *testing.T, goal, name, output, strategy string) {
		req := &Request{
			Goal: goal, Strategy: strategy, Files: []string{"a.csv", "b/c.md", "d.go"}, Tools: specs, Inactive: []tool.Spec{{Name: "repo_index"}},
			Steps: []Step{{
				Call:   newCall(name, map[string]any{"path": "a.csv", "expression": "1+1"}),
				Result: tool.OK(output),
			}},
			Memories:  []memory.Hit{{Memory: agent.Memory{Text: output}, Score: .8}},
			Turns:     []agent.Message{{Role: "user", Content: output}},
			Choice:    Choice{PatternWeight: .8, PerformanceWeight: .2, Cutoff: .1},
			Remaining: 4,
		}
		first, err := h.Next(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		second, _ := h.Next(context.Background(), req)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Fatal(diff)
		}
		ends := len(first.Calls) == 0
		if first.Confidence < 0 || first.Confidence > 1 || (ends && first.Referral == nil && strings.TrimSpace(first.Answer) == "" && strings.TrimSpace(output) != "" && first.Unsure) {
			t.Fatalf("%+v", first)
		}
		for _, c := range first.Calls {
			if !json.Valid(c.Arguments) {
				t.Fatalf("%s", c.Arguments)
			}
		}
		req.Synthesis = true
		req.Findings = []Finding{{Goal: goal, Answer: output, Value: output, Subject: name}, {Goal: output, Answer: goal, Value: goal, Subject: "b"}}
		if _, err := h.Next(context.Background(), req); err != nil {
			t.Fatal(err)
		}
	})
}
