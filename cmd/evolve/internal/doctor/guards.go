package doctor

import "evolve/cmd/evolve/internal/workspace"

// checkGuards warns about guards that are written in the settings and cannot be judged.
func checkGuards(w *workspace.Workspace) []Check {
	var checks []Check
	const hint = "to have latency judged, set deterministic: false in the agent's agent.yaml, which takes more evaluations; to remove this line, set guards: {latency: off} there"
	for i := range w.Agents {
		a := &w.Agents[i]
		for _, text := range w.UnjudgedGuards(a) {
			checks = append(checks, warn("guards "+a.ID, hint, "%s", text))
		}
	}
	return checks
}
