package render

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// TestGuards checks that the report shows the limits that were used, with foreign names
// escaped.
func TestGuards(t *testing.T) {
	r := adoptWorld(t, 0).report()
	r.Run.Policy = "5c8dc93fc32b7302"
	r.Volatile.Guards = []policy.Stat{
		{Saturation: policy.Saturation{Kind: policy.Tool, Name: "grep", Origin: "local", Calls: 1200, Outcomes: map[agent.Outcome]int64{agent.OK: 1200}}, P50: time.Millisecond},
		{
			Saturation: policy.Saturation{
				Kind: policy.Provider, Name: "far\x1b[31m", Calls: 7, Retries: 3, RateWait: 90 * time.Second,
				Outcomes: map[agent.Outcome]int64{agent.OK: 5, agent.RateLimited: 2},
			},
			P95: 2 * time.Second, Breaker: "open",
			Budgets: []policy.BudgetStat{{Scope: "run", Used: policy.Usage{USD: 4.5, Calls: 7}, Limit: policy.Budget{USD: 5, Calls: 10}}},
		},
	}
	var b bytes.Buffer
	if err := Terminal(&b, r, TerminalOptions{Width: 160}); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"policies 5c8dc93fc32b7302", "grep 1,200 0 0 1 ms", "none reached", "breaker open", "waited", "2 rate limited", "$4.50 of $5.00, 7 of 10 calls",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "\x1b[31m") {
		t.Error("a tool's name acts on the terminal")
	}
}

// TestLimitsThatWereReached checks that every limit that a call reached is listed: a
// breaker that opened and closed again, refusals, waiting, or a spent budget.
func TestLimitsThatWereReached(t *testing.T) {
	for want, s := range map[string]policy.Stat{
		"none reached":                                  {Saturation: policy.Saturation{Calls: 3, Outcomes: map[agent.Outcome]int64{agent.OK: 3}}, Breaker: "closed"},
		"breaker opened 2 times":                        {Saturation: policy.Saturation{Opened: 2}, Breaker: "closed"},
		"breaker half-open":                             {Breaker: "half_open"},
		"1 call refused by an open circuit breaker":     {Saturation: policy.Saturation{Outcomes: map[agent.Outcome]int64{agent.CircuitOpen: 1}}, Breaker: "closed"},
		"4 calls refused because a budget was spent":    {Saturation: policy.Saturation{Outcomes: map[agent.Outcome]int64{agent.BudgetExceeded: 4}}},
		"2 calls refused by policy":                     {Saturation: policy.Saturation{Outcomes: map[agent.Outcome]int64{agent.Denied: 2}}},
		"2 rate limited":                                {Saturation: policy.Saturation{Outcomes: map[agent.Outcome]int64{agent.RateLimited: 2}}},
		"breaker opened 1 time, for 40 s":               {Saturation: policy.Saturation{Opened: 1, Open: 40 * time.Second}, Breaker: "closed"},
		"waited 3.0 s because of its rate limit":        {Saturation: policy.Saturation{RateWait: 3 * time.Second}},
		"because of its rate limit (12 % of the time)":  {Saturation: policy.Saturation{RateWait: 30 * time.Second, RateBound: 12 * time.Second, Over: 100 * time.Second}},
		"waited 2.0 s because of its concurrency limit": {Saturation: policy.Saturation{QueueWait: 2 * time.Second, QueueBound: time.Second, Over: time.Hour}},
		"1 abandoned and still running":                 {Abandoned: 1},
		"budget of a run: 3 of 3 calls":                 {Budgets: []policy.BudgetStat{{Scope: "run", Used: policy.Usage{Calls: 3}, Limit: policy.Budget{Calls: 3}}}},
	} {
		words := ""
		for _, x := range limits(s) {
			words += x.Text
		}
		if !strings.Contains(words, want) || want != "none reached" && strings.Contains(words, "none reached") {
			t.Errorf("%+v: %q, want %q", s, words, want)
		}
	}
}
