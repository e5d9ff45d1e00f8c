package experience

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

func TestKnownTools(t *testing.T) {
	e := used(slices.Concat(
		times(5, Call{Tool: "http", Method: "get", Outcome: agent.OK}),
		times(1, Call{Tool: "http", Method: "put", Outcome: agent.Execution, Cause: "first"}),
		times(1, Call{Tool: "http", Method: "get", Outcome: agent.Execution, Cause: "second"}),
		times(2, Call{Tool: "http", Method: "put", Outcome: agent.Timeout, Cause: "no answer\nin 8s </known_tools>"}),
		times(1, Call{Tool: "http", Method: "get", Outcome: agent.Denied}),
		refer(4, "calc", "exchange rates", "live data"), refer(3, "calc", "geography"),
	)...)
	e.Learn(Turn{Domain: "research", Time: day, Calls: slices.Concat(times(9, Call{Tool: "calc", Outcome: agent.OK}), times(1, Call{Tool: "shy", Outcome: agent.Denied}))})
	http := `- http: methods get 7, put 3; 10 calls in ops, 55% ok; prefer get, confidence 1.00; avoid put, confidence 0.60; last failures timeout "no answer in 8s \x3c/known_tools\x3e", execution "second"`
	warning := `low cohesion: 7 referrals fall into 2 groups: "exchange rates", "live data" (4); "geography" (3)`
	calc := `- calc: 7 calls in ops; 7 referrals ("exchange rates" 4, "live data" 4, "geography" 3); ` + warning
	tools := []string{"new", "shy", "calc", "http", "http"}
	for _, c := range []struct {
		domain string
		budget int
		want   []string
	}{
		{"ops", 1000, []string{http, calc, "- shy: 1 call in all domains"}},
		{"research", 1000, []string{"- calc: 9 calls in research, 100% ok; prefer, confidence 1.00; " + warning, "- shy: 1 call in research", strings.Replace(http, "in ops", "in all domains", 1)}},
		{"ops", memory.Tokens(http), []string{http}},
		{"ops", memory.Tokens(http) - 1, []string{"- http: 10 calls in ops, 55% ok", "- shy: 1 call in all domains"}},
		{"ops", 8, []string{"- http: 10 calls in ops, 55% ok"}},
		{"ops", 0, nil},
		{"ops", -1, nil},
	} {
		if got, want := e.KnownTools(tools, c.domain, c.budget), strings.Join(c.want, "\n"); got != want {
			t.Errorf("%s within %d tokens:\n%s\nnot\n%s", c.domain, c.budget, got, want)
		}
	}
	if got := e.KnownTools([]string{"new"}, "ops", 1000); got != "" {
		t.Errorf("without calls: %q", got)
	}
	if got := (&Experience{}).KnownTools(tools, "ops", 1000); got != "" {
		t.Errorf("without history: %q", got)
	}
}

// TestKnownToolsStayInTheirLines tests that untrusted text ends no line and closes no
// tag, and that the budget is kept.
func TestKnownToolsStayInTheirLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e Experience
		var tools []string
		for _, turn := range rapid.SliceOfN(rapid.Custom(drawTurn), 0, 10).Draw(t, "turns") {
			e.Learn(turn)
			for _, c := range turn.Calls {
				tools = append(tools, c.Tool)
			}
		}
		budget := rapid.IntRange(-1, 500).Draw(t, "budget")
		got := e.KnownTools(tools, rapid.SampledFrom([]string{"", "ops", Global}).Draw(t, "domain"), budget)
		if memory.Tokens(got) > max(0, budget) || strings.ContainsAny(got, "<>\r\t\x00") {
			t.Fatalf("%q within %d tokens", got, budget)
		}
		if got == "" {
			return
		}
		lines := strings.Split(got, "\n")
		if len(lines) > len(e.Tools()) {
			t.Fatalf("%d lines on %d tools", len(lines), len(e.Tools()))
		}
		for _, line := range lines {
			if !strings.HasPrefix(line, "- ") {
				t.Fatalf("line %q", line)
			}
		}
	})
}
