package batch

import (
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
)

// The sizes that are assumed for the estimate of what simulated users cost, in tokens: the
// instructions, one message of either side, and what the person's model writes.
const (
	assumedInstructions = 700
	assumedMessage      = 80
)

// UserCost estimates the calls of the models behind simulated users that a plan takes at
// most, as if every conversation had all its turns, and what they cost; empty without any.
func UserCost(w *workspace.Workspace, a *workspace.Agent, p *archive.AgentPlan) string {
	var calls, usd float64
	var unpriced []string
	for _, side := range []struct {
		split       bench.Split
		evaluations int
	}{{bench.Search, p.Search + p.AA + p.Ablate}, {bench.Holdout, p.Confirm}} {
		var tasks []*bench.Task
		for _, name := range a.Suites {
			tasks = append(tasks, w.Suites[name].Side(side.split)...)
		}
		for _, t := range tasks {
			n := float64(t.UserCalls()) * float64(side.evaluations) / float64(len(tasks))
			if n == 0 {
				continue
			}
			_, route := w.JudgeRoute(t.User.Route)
			price, ok := w.Settings.Prices[route.Provider+"/"+route.Model]
			if !ok {
				price, ok = w.Settings.Prices[route.Model]
			}
			if !ok && !slices.Contains(unpriced, route.Model) {
				unpriced = append(unpriced, route.Model)
			}
			in := assumedInstructions + assumedMessage*float64(t.User.Turns()) // half of two messages a turn
			calls += n
			usd += n * (in*price.Input + assumedMessage*price.Output) / 1e6
		}
	}
	if calls == 0 {
		return ""
	}
	text := fmt.Sprintf("at most about %.0f calls of simulated users, about %s", calls, dollars(usd))
	if len(unpriced) > 0 {
		text += "; no price for " + strings.Join(unpriced, ", ")
	}
	return text
}
