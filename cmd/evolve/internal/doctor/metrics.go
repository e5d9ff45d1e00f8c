package doctor

import (
	"path/filepath"

	"evolve/cmd/evolve/internal/workspace"
)

// checkMetrics checks that a run can write its file for Prometheus, if the settings name
// one.
func checkMetrics(p Probes, w *workspace.Workspace) []Check {
	const name = "metrics"
	file := w.Settings.Metrics.File(w.Root)
	if file == "" {
		return nil
	}
	if err := p.Writable(filepath.Dir(file)); err != nil {
		return []Check{warn(name, "create the folder of the file that evolve.yaml sets as metrics.textfile, and give the user who runs the nights write access to it; until then, runs continue without writing the file", "%s cannot be written: %s", w.Settings.Metrics.Textfile, workspace.Reason(err))}
	}
	return []Check{ok(name, "each run writes %s", w.Settings.Metrics.Textfile)}
}
