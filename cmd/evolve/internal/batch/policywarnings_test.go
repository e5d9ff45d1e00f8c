package batch

import (
	"strings"
	"testing"
	"time"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/policy"
)

// TestPoliciesThatAllowLessThanIsPlanned checks that a rate and budgets are compared with
// the plan and reported with the figure, and that a policy that allows the whole plan is
// not mentioned.
func TestPoliciesThatAllowLessThanIsPlanned(t *testing.T) {
	for _, c := range []struct {
		name    string
		role    policy.Settings
		planned int
		usd     float64
		seconds float64
		says    string // empty: nothing
	}{
		{name: "a rate without a limit of time", role: policy.Settings{RateCalls: 1, RatePer: time.Hour}, planned: 2000, says: "the rate limit of 1 task of agent toy per 1h under policies makes the 2,000 evaluations planned take at least 83 days"},
		{name: "a rate and a night", role: policy.Settings{RateCalls: 1, RatePer: time.Hour}, planned: 2000, seconds: 8 * 3600, says: "in 8h, under policies allows only 8 of the 2,000 evaluations planned"},
		{name: "a rate that suffices", role: policy.Settings{RateCalls: 100, RatePer: time.Second}, planned: 2000, seconds: 3600},
		{name: "nothing is known yet", role: policy.Settings{RateCalls: 1, RatePer: time.Minute}, seconds: 3600, says: "allows only 60 of the minimum of 240 evaluations for a night"},
		{name: "calls of a run", role: policy.Settings{PerRun: policy.Budget{Calls: 50}}, planned: 300, says: "the budget of a run, 50 tasks of agent toy, under policies allows only 50 of the 300 evaluations planned"},
		{name: "money of an agent", role: policy.Settings{PerAgent: policy.Budget{USD: 1}}, planned: 300, usd: .02, says: "$1.00 at $0.02 an evaluation, under policies allows only 50 of"},
		{name: "money at no known price", role: policy.Settings{PerAgent: policy.Budget{USD: 1}}, planned: 300},
	} {
		w := toyWorkspace(t, 20)
		w.Agents[0].Adapter.Kind = workspace.KindCommand
		w.Settings.Policies = policy.Book{Roles: map[string]policy.Settings{"toy": c.role}}
		got := strings.Join(policyWarnings(w, &w.Agents[0], c.planned, c.usd, c.seconds), "; ")
		if c.says == "" && got != "" || !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, want %q", c.name, got, c.says)
		}
		w.Settings.Policies = policy.Book{}
		if got := policyWarnings(w, &w.Agents[0], c.planned, c.usd, c.seconds); got != nil {
			t.Errorf("%s: without policies: %q", c.name, got)
		}
	}
}
