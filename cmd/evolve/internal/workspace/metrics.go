package workspace

import (
	"path/filepath"
	"strings"
)

// Metrics configures the output of figures for monitoring. The identities of runs, agents
// and evaluations do not depend on it.
type Metrics struct {
	// Textfile is the file that each run writes for the textfile collector of
	// node_exporter, relative to the workspace; it is empty if no file is to be written.
	Textfile string
}

// MetricsSettings reads only the metrics settings of the workspace at root, in the same way
// as [NotifySettings] reads its settings.
func MetricsSettings(root string) (Metrics, error) {
	f, err := someSettings(root, func(f *settingsFile) []key { return []key{metricsKey(&f.Metrics)} })
	return f.Metrics, err
}

// File returns the path of the text file for the workspace at root, or "" if there is none.
func (m Metrics) File(root string) string {
	path := filepath.FromSlash(m.Textfile)
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(root, path)
}

func metricsKey(m *Metrics) key {
	return key{name: "metrics", doc: "metrics about nights, for monitoring; see evolve help metrics", field: object{keys: []key{
		{name: "textfile", doc: "file that each run writes when it ends, for the textfile collector of Prometheus' node_exporter; the path is relative to this file; if omitted, no file is written", field: text{to: &m.Textfile, check: textfileProblem, form: schema{"type": "string", "pattern": textfilePattern}}, example: "/var/lib/node_exporter/evolve.prom"},
	}}}
}

const textfilePattern = `^[^~$\x00-\x1f][^\x00-\x1f]*\.prom$`

func textfileProblem(v string) (problem, hint string) {
	switch {
	case !folderPattern.MatchString(v):
		return "must be a path without ~ or $ at its start", "~ and $ are not expanded"
	case !strings.HasSuffix(v, ".prom") || filepath.Base(v) == ".prom":
		return "must be the path of a file whose name ends in .prom", "the collector ignores all other files"
	}
	return "", ""
}
