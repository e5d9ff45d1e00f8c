package batch

import (
	"fmt"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports/number"
)

// The numbers of tokens assumed in estimating the cost of simulated users: for the
// instructions, for one message from either side, and for what the user's model writes.
const (
	assumedInstructions = 700
	assumedMessage      = 80
)

// UserCost estimates the maximum number and the cost of the calls that a plan makes to
// the models that play simulated users, assuming that every conversation has all its
// turns. It returns "" if there are no simulated users.
func UserCost(w *workspace.Workspace, a *workspace.Agent, p *archive.AgentPlan) string {
	c := plannedCalls{w: w}
	eachPlanned(w, a, p, func(t *bench.Task, times float64) {
		if n := float64(t.UserCalls()) * times; n > 0 {
			in := assumedInstructions + assumedMessage*float64(t.User.Turns()) // two messages per turn, of which a call reads half on average
			c.add(t.User.Route, n, in, assumedMessage)
		}
	})
	if c.calls == 0 {
		return ""
	}
	return fmt.Sprintf("at most about %.0f calls to simulated users, about %s", c.calls, number.Dollars(c.usd)) + c.withoutPrice()
}
