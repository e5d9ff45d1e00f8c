package doctor

import "evolve/cmd/evolve/internal/workspace"

// checkGuards warns about guards that are written in the settings and cannot be judged.
func checkGuards(w *workspace.Workspace) []Check {
	var checks []Check
	for i := range w.Agents {
		a := &w.Agents[i]
		hint := "deterministic: false in its agent.yaml has it judged, for more evaluations; guards: {latency: off} there removes this line"
		if a.Adapter.Kind == workspace.KindCode {
			hint = "guards: {latency: off} removes this line"
		}
		for _, text := range w.UnjudgedGuards(a) {
			checks = append(checks, warn("guards "+a.ID, hint, "%s", text))
		}
	}
	return checks
}
