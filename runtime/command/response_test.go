package command

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

func TestParse(t *testing.T) {
	for name, c := range map[string]struct{ line, want string }{ // want is the answer, or "!" and the error
		"text":            {`{"id":"e","answer":"a\n\u00e9"}`, "a\né"},
		"empty text":      {`{"id":"e","answer":""}`, ""},
		"number":          {`{"id":"e","answer":1.50}`, "1.50"},
		"large number":    {`{"id":"e","answer":1e999}`, "1e999"},
		"bool":            {`{"id":"e","answer":false}`, "false"},
		"object":          {`{"id":"e","answer":{"b" : [1, "x y"]}}`, `{"b":[1,"x y"]}`},
		"array":           {`{"id":"e","answer":[ ]}`, "[]"},
		"unknown keys":    {`{"id":"e","answer":"a","more":{"x":1},"Answer":"b"}`, "a"},
		"other case":      {`{"id":"e","ANSWER":"a"}`, "!neither answer nor score"},
		"null answer":     {`{"id":"e","answer":null}`, "!neither answer nor score"},
		"spaces":          {` { "id" : "e" , "answer" : "a" } ` + "\r", "a"},
		"trailing":        {`{"id":"e","answer":"a"} x`, "!not a JSON object"},
		"two objects":     {`{"id":"e","answer":"a"}{"id":"e","answer":"b"}`, "!not a JSON object"},
		"key twice":       {`{"id":"e","score":0,"score":1}`, "!the same key twice"},
		"key in disguise": {`{"id":"e","answer":"a","\u0061nswer":"b"}`, "!the same key twice"},
		"twice inside":    {`{"id":"e","answer":"a:\"{[","x":[{"a":1},{"a":2}]}`, `a:"{[`},
		"array outside":   {`[{"id":"e","answer":"a"}]`, "!not a JSON object"},
		"null":            {`null`, "!null"},
		"no id":           {`{"answer":"a"}`, "!no id"},
		"number as id":    {`{"id":1,"answer":"a"}`, "!no id"},
		"wrong id":        {`{"id":"f","answer":"a"}`, `!the id "f"`},
		"not UTF-8":       {"{\"id\":\"e\",\"answer\":\"\xff\"}", "!UTF-8"},
		"score as text":   {`{"id":"e","score":"1"}`, "!the score"},
		"negative score":  {`{"id":"e","score":-0.1}`, "!the score"},
		"bool score":      {`{"id":"e","answer":"a","score":true}`, "!the score"},
		"outcome":         {`{"id":"e","answer":"a","outcome":"timeout"}`, "!which an agent may not report"},
		"outcome no text": {`{"id":"e","answer":"a","outcome":1}`, "!which an agent may not report"},
		"negative tokens": {`{"id":"e","answer":"a","usage":{"input_tokens":-1}}`, "!input_tokens"},
		"half a token":    {`{"id":"e","answer":"a","usage":{"output_tokens":0.5}}`, "!output_tokens"},
		"absurd tokens":   {`{"id":"e","answer":"a","usage":{"input_tokens":1e13}}`, "!input_tokens"},
		"negative cost":   {`{"id":"e","answer":"a","usage":{"cost_usd":-1}}`, "!cost_usd"},
		"absurd cost":     {`{"id":"e","answer":"a","usage":{"cost_usd":1e7}}`, "!cost_usd"},
		"cost as text":    {`{"id":"e","answer":"a","usage":{"cost_usd":"1"}}`, "!cost_usd"},
		"usage as list":   {`{"id":"e","answer":"a","usage":[]}`, "!not an object"},
		"all null":        {`{"id":"e","answer":"a","usage":null,"outcome":null,"score":null,"error":null,"transcript":null,"artifacts":null}`, "a"},
		"bare boundary":   {`{"id":"e","answer":"a","outcome":"wrong_tool_boundary"}`, "!but lacks refer"},
		"no evidence":     {`{"id":"e","answer":"a","refer":{"boundary_axes":["web"],"observed_task_shape":"browsing","evidence":" "}}`, "!no evidence"},
		"no axes":         {`{"id":"e","answer":"a","refer":{"boundary_axes":[" "],"observed_task_shape":"browsing","evidence":"x"}}`, "!no boundary axes"},
		"no shape":        {`{"id":"e","answer":"a","refer":{"boundary_axes":["web"],"evidence":"x"}}`, "!names no task shape"},
		"refer no object": {`{"id":"e","answer":"a","refer":"elsewhere"}`, "!not a referral"},
		"refers as crash": {`{"id":"e","answer":"a","refer":{"outcome":"execution","boundary_axes":["web"],"observed_task_shape":"s","evidence":"x"}}`, "!neither wrong_tool_boundary"},
		"two outcomes":    {`{"id":"e","answer":"a","outcome":"low_utility","refer":{"boundary_axes":["web"],"observed_task_shape":"s","evidence":"x"}}`, "!its \"refer\" object has the outcome"},
		"null refer":      {`{"id":"e","answer":"a","refer":null}`, "a"},
		"deep":            {`{"id":"e","answer":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, "!not a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := parse([]byte(c.line), "e")
			if problem, bad := strings.CutPrefix(c.want, "!"); bad {
				if err == nil || !strings.Contains(err.Error(), problem) {
					t.Errorf("error %v, want %q in it", err, problem)
				}
				return
			}
			if err != nil || r.answer == nil || *r.answer != c.want {
				t.Errorf("%+v, %v, want the answer %q", r, err, c.want)
			}
		})
	}
}

func TestParseWhole(t *testing.T) {
	got, err := parse([]byte(`{"id":"e","score":-0,"outcome":"low_utility","usage":{"input_tokens":12,"output_tokens":3e2,"cost_usd":0.25,"x":"y"},`+
		`"transcript":[ 1 ],"artifacts":{"a": "b"},"error":"so so"}`), "e")
	if err != nil {
		t.Fatal(err)
	}
	zero := 0.0
	want := response{
		score: &zero, outcome: agent.LowUtility, usage: agent.Usage{InputTokens: 12, OutputTokens: 300, CostUSD: .25},
		transcript: []byte("[1]"), artifacts: []byte(`{"a":"b"}`), err: "so so",
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(response{})); diff != "" {
		t.Error(diff)
	}
}

// TestReferral tests that a referral is normalized, sets the outcome, and is added to the
// transcript without credentials.
func TestReferral(t *testing.T) {
	hide := func(s string) string { return strings.ReplaceAll(s, "opensesame", "[redacted]") }
	for given, want := range map[string]agent.Outcome{
		`{"boundary_axes":["Web"," web","Live  data"],"observed_task_shape":"browsing","evidence":"asks for opensesame","suggested_split":[" find ",""]}`:                         agent.WrongToolBoundary,
		`{"outcome":"low_utility","boundary_axes":["Web"," web","Live  data"],"observed_task_shape":"browsing","evidence":"asks for opensesame","suggested_split":[" find ",""]}`: agent.LowUtility,
	} {
		res, err := judge([]byte(`{"id":"e","answer":"not mine","refer":`+given+`}`), agent.Request{ID: "e"}, hide)
		if err != nil || res.Outcome != want || res.Answer == nil || *res.Answer != "not mine" || res.Error != "browsing" {
			t.Errorf("%+v, %v", res, err)
		}
		data := `{"boundary_axes":["live data","web"],"observed_task_shape":"browsing","evidence":"asks for [redacted]","suggested_split":["find"]}`
		events := []agent.Event{{Kind: agent.EventCheck, Name: agent.Referral, Outcome: want, Data: json.RawMessage(data)}}
		if diff := cmp.Diff(events, res.Transcript.Events); diff != "" {
			t.Error(diff)
		}
	}
}

// TestPaid tests that the cost of an invalid response is counted.
func TestPaid(t *testing.T) {
	r, err := parse([]byte(`{"id":"e","score":7,"usage":{"cost_usd":0.25}}`), "e")
	if err == nil || r.usage.CostUSD != .25 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestOutcomes(t *testing.T) {
	for how, want := range map[string]agent.Result{
		`{"id":"ID","outcome":"infrastructure","error":"no\n opensesame"}`: {Outcome: agent.Infrastructure, Error: "no [redacted]"},
		`{"id":"ID","answer":"x","outcome":"execution"}`:                   {Outcome: agent.Execution, Error: "the agent reported execution"},
		`{"id":"ID","answer":"x","usage":{"cost_usd":2}}`: {
			Outcome: agent.BudgetExceeded, Error: "the task cost 2 USD, more than the limit of 1", Usage: agent.Usage{CostUSD: 2},
		},
		`{"id":"ID","answer":"x","usage":{"input_tokens":60,"output_tokens":41}}`: {
			Outcome: agent.BudgetExceeded, Error: "the task used 101 tokens, more than the limit of 100", Usage: agent.Usage{InputTokens: 60, OutputTokens: 41},
		},
		`{"id":"ID","answer":"` + strings.Repeat("x", 200) + `"}`: {
			Outcome: agent.BudgetExceeded, Error: "the response has 222 bytes, more than the limit of 200",
		},
		`{"id":"ID","outcome":"wrong_tool_boundary","refer":{"boundary_axes":["Web","web "],"observed_task_shape":"browsing","evidence":"asks for opensesame"}}`: {
			Outcome: agent.WrongToolBoundary, Error: "browsing", Transcript: agent.Transcript{Events: []agent.Event{{
				Kind: agent.EventCheck, Name: agent.Referral, Outcome: agent.WrongToolBoundary,
				Data: json.RawMessage(`{"boundary_axes":["web"],"observed_task_shape":"browsing","evidence":"asks for [redacted]"}`),
			}}},
		},
		`{"id":"ID","outcome":"wrong_tool_boundary"}`: {
			Outcome: agent.ContractViolation, Error: "the response has the outcome wrong_tool_boundary but lacks refer, which must name boundary_axes, observed_task_shape and evidence",
		},
	} {
		a := newAgent(t, Options{Argv: itself(t, how), Protocol: Once, Sandbox: detect()})
		req := ask("e", "")
		req.Limits.MaxCostUSD, req.Limits.MaxTokens, req.Limits.MaxOutputBytes = 1, 100, 200
		if diff := cmp.Diff(want, a.Run(t.Context(), req)); diff != "" {
			t.Error(diff)
		}
	}
}

// countMembers counts the members of an object token by token.
func countMembers(t *testing.T, line []byte) int {
	dec := json.NewDecoder(bytes.NewReader(line))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; dec.More(); n++ {
		var value json.RawMessage
		if _, err := dec.Token(); err != nil {
			t.Fatal(err)
		}
		if err := dec.Decode(&value); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

func FuzzResponse(f *testing.F) {
	for _, line := range []string{
		`{"id":"e","answer":"a"}`, `{"id":"e","score":0.5,"usage":{"input_tokens":1,"cost_usd":1e-3}}`, `{"id":"e","answer":{"a":[1,null]},"outcome":"ok"}`,
		`{"id":"e","score":NaN}`, `{"id":"e","score":1e999}`, `{"id":"e","answer":"\ud800"}`, `null`, `{}`, `{"id":"e","outcome":"infrastructure","error":{"a":1}}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := parse(line, "e")
		if u := r.usage; !(u.CostUSD >= 0 && u.CostUSD <= maxCost) || u.InputTokens < 0 || u.OutputTokens < 0 {
			t.Errorf("usage %+v", u)
		}
		if err != nil {
			return
		}
		if !r.outcome.Reportable() {
			t.Errorf("outcome %q", r.outcome)
		}
		if r.score != nil && !(*r.score >= 0 && *r.score <= 1) {
			t.Errorf("score %v", *r.score)
		}
		if r.answer != nil && !utf8.ValidString(*r.answer) {
			t.Errorf("answer %q", *r.answer)
		}
		if r.outcome == agent.OK && r.answer == nil && r.score == nil {
			t.Error("ok without answer and score")
		}
		if n := countMembers(t, line); n != members(line) {
			t.Errorf("%d members counted as %d", n, members(line))
		}
	})
}
