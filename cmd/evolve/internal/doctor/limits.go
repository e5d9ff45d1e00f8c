package doctor

import (
	"context"

	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/workspace"
)

// checkLimits reports which limit will bind each agent's night. It fails if a limit leaves
// an agent no evaluations, because that would end the night before it began.
func checkLimits(ctx context.Context, p Probes, w *workspace.Workspace) (map[string]batch.Expectation, []Check) {
	out := map[string]batch.Expectation{}
	list, err := p.Limits(ctx, w)
	if err != nil {
		return out, []Check{warn("limits", "see the line about the archive", "cannot forecast what the limits allow: %v", err)}
	}
	var checks []Check
	for _, f := range list {
		out[f.Agent] = f
		label := "limits " + f.Agent
		if f.Known() && f.Evaluations < 1 {
			checks = append(checks, fail(label, "raise the limit under budget in evolve.yaml", "nothing would be evaluated: %s", f.Text))
		} else {
			checks = append(checks, ok(label, "%s", f.Text))
		}
		for _, text := range f.Policies {
			checks = append(checks, warn("policies "+f.Agent, "`evolve agent show` prints the policies in force", "%s", text))
		}
	}
	return out, checks
}
