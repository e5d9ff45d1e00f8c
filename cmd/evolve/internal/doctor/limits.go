package doctor

import (
	"context"

	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/workspace"
)

// Forecast is the number of evaluations that the limits of a run allow an agent.
type Forecast struct {
	Agent string
	// Known reports whether Evaluations is the number; otherwise it is an upper bound, or
	// 0.
	Known       bool
	Evaluations int
	// Text names the limit that will bind, and on what estimate.
	Text string
	// Policies describe how far a rate or a budget under policies allows less than is
	// planned.
	Policies []string
	// Judges describe the judges of the agent's suites, and JudgeNoise their noise.
	Judges     []string
	JudgeNoise string
	// Variances are the agent's variances as estimated from earlier nights.
	Variances stats.Variances
}

// checkLimits reports which limit will bind each agent's night. It fails if one leaves an
// agent nothing, which would end the night before it began.
func checkLimits(ctx context.Context, p Probes, w *workspace.Workspace) (map[string]Forecast, []Check) {
	out := map[string]Forecast{}
	list, err := forecasts(ctx, p, w)
	if err != nil {
		return out, []Check{warn("limits", "see the archive's line", "what the limits allow cannot be forecast: %v", err)}
	}
	var checks []Check
	for _, f := range list {
		out[f.Agent] = f
		label := "limits " + f.Agent
		if f.Known && f.Evaluations < 1 {
			checks = append(checks, fail(label, "raise the limit under budget in evolve.yaml", "nothing would be evaluated: %s", f.Text))
		} else {
			checks = append(checks, ok(label, "%s", f.Text))
		}
		for _, text := range f.Policies {
			checks = append(checks, warn("policies "+f.Agent, "`evolve agent show` prints what holds", "%s", text))
		}
	}
	return out, checks
}

func forecasts(ctx context.Context, p Probes, w *workspace.Workspace) ([]Forecast, error) {
	if p.Limits != nil {
		return p.Limits(ctx, w)
	}
	b := w.Settings.Budget
	if b == (workspace.Budget{}) {
		b.Evaluations = workspace.DefaultEvaluations
	}
	var out []Forecast
	for i := range w.Agents {
		n := b.Evaluations / len(w.Agents)
		if i < b.Evaluations%len(w.Agents) {
			n++
		}
		known := b == (workspace.Budget{Evaluations: b.Evaluations})
		out = append(out, Forecast{Agent: w.Agents[i].ID, Known: known, Evaluations: n, Text: workspace.Count(n, "evaluation")})
	}
	return out, nil
}
