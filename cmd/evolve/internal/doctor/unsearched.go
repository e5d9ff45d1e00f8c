package doctor

import "evolve/cmd/evolve/internal/workspace"

// checkUnsearched lists the parameters of each agent that are not searched.
func checkUnsearched(w *workspace.Workspace) []Check {
	var checks []Check
	for i := range w.Agents {
		a := &w.Agents[i]
		left := a.LeftAlone()
		if left == "" {
			continue
		}
		name := "space " + a.ID
		checks = append(checks, ok(name, "not searched: %s", left))
		if named := a.NamedInVain(); named != "" {
			checks[len(checks)-1] = warn(name, "remove these parameters from space: in agent.yaml",
				"the key space in agent.yaml lists parameters that have no effect (%s); not searched: %s", named, left)
		}
	}
	return checks
}
