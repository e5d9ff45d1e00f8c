package batch

import (
	"testing"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
)

// TestBlind checks which searches cause the warning that most of their configs are chosen
// before the first result.
func TestBlind(t *testing.T) {
	for name, c := range map[string]struct {
		o    Options
		p    archive.AgentPlan
		want string
	}{
		"as much as the search": {
			Options{Concurrency: 4, Lookahead: 400},
			archive.AgentPlan{Search: 360, Deterministic: true},
			"the search chooses 360 of its 360 evaluations before it has a result to learn from: set lookahead to 90 or less",
		},
		"with chance": {
			Options{Concurrency: 20, Lookahead: 400},
			archive.AgentPlan{Search: 60},
			"the search chooses 40 of its 60 evaluations before it has a result to learn from: set concurrency to 7 or less",
		},
		"so few that only 1 is small enough": {
			Options{Concurrency: 4, Lookahead: 32},
			archive.AgentPlan{Search: 5},
			"the search chooses 5 of its 5 evaluations before it has a result to learn from: set concurrency to 1",
		},
		"too few for the smallest value": {
			Options{Concurrency: 1, Lookahead: 32},
			archive.AgentPlan{Search: 3},
			"the search chooses 2 of its 3 evaluations before it has a result to learn from: allow more evaluations",
		},
		"half":         {Options{Concurrency: 8, Lookahead: 32}, archive.AgentPlan{Search: 64, Deterministic: true}, ""},
		"no search":    {Options{Concurrency: 8, Lookahead: 32}, archive.AgentPlan{Deterministic: true}, ""},
		"limited time": {Options{Concurrency: 8, Lookahead: 400, Budget: workspace.Budget{Time: time.Hour}}, archive.AgentPlan{Search: 64, Deterministic: true}, ""},
	} {
		if got := c.o.blind(&c.p); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
