package batch

import (
	"fmt"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports/number"
)

// The sizes that are assumed for the estimate of the cost of simulated users, in tokens:
// the instructions, one message of either side, and what the person's model writes.
const (
	assumedInstructions = 700
	assumedMessage      = 80
)

// UserCost estimates the calls of the models behind simulated users that a plan takes at
// most, as if every conversation had all its turns, and their cost; empty without any.
func UserCost(w *workspace.Workspace, a *workspace.Agent, p *archive.AgentPlan) string {
	c := plannedCalls{w: w}
	eachPlanned(w, a, p, func(t *bench.Task, times float64) {
		if n := float64(t.UserCalls()) * times; n > 0 {
			in := assumedInstructions + assumedMessage*float64(t.User.Turns()) // half of two messages a turn
			c.add(t.User.Route, n, in, assumedMessage)
		}
	})
	if c.calls == 0 {
		return ""
	}
	return fmt.Sprintf("at most about %.0f calls of simulated users, about %s", c.calls, number.Dollars(c.usd)) + c.withoutPrice()
}
