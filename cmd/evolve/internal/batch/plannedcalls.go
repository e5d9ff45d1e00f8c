package batch

import (
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
)

// eachPlanned calls visit with each task of a plan and the maximum number of times that the
// plan evaluates it.
func eachPlanned(w *workspace.Workspace, a *workspace.Agent, p *archive.AgentPlan, visit func(t *bench.Task, times float64)) {
	for _, side := range []struct {
		split       bench.Split
		evaluations int
	}{{bench.Search, p.Search + p.AA + p.Ablate}, {bench.Holdout, p.Confirm}} {
		var tasks []*bench.Task
		for _, name := range a.Suites {
			tasks = append(tasks, w.Suites[name].Side(side.split)...)
		}
		for _, t := range tasks {
			visit(t, float64(side.evaluations)/float64(len(tasks)))
		}
	}
}

// plannedCalls sums up the model calls that a plan makes apart from the agent's own.
type plannedCalls struct {
	w                  *workspace.Workspace
	calls, tokens, usd float64
	unpriced           []string // models
}

// add adds n calls to a route, each with the given numbers of tokens.
func (c *plannedCalls) add(name string, n, in, out float64) {
	_, route := c.w.JudgeRoute(name)
	price, ok := c.w.Settings.Prices[route.Provider+"/"+route.Model]
	if !ok {
		price, ok = c.w.Settings.Prices[route.Model]
	}
	if !ok && !slices.Contains(c.unpriced, route.Model) {
		c.unpriced = append(c.unpriced, route.Model)
	}
	c.calls, c.tokens = c.calls+n, c.tokens+n*(in+out)
	c.usd += n * (in*price.Input + out*price.Output) / 1e6
}

// withoutPrice names the models that have no price; it returns "" if all have one.
func (c *plannedCalls) withoutPrice() string {
	if len(c.unpriced) == 0 {
		return ""
	}
	return "; no price for " + strings.Join(c.unpriced, ", ")
}
