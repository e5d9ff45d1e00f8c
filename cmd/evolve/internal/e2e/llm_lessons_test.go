//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
)

// afterNight takes its measurements after a night, which derives lessons for later turns
// from the earlier turns. The night runs as few evaluations as possible.
func (l *lesson) afterNight() []probed {
	l.t.Helper()
	p := l.copyOf(l.root)
	p.start("run", "--workspace", p.root, "--stages", "search", "--budget-evals", "2", "--quiet").wait()
	l.t.Logf("%s", p.do(0, "agent", "lessons", "clerk", "--workspace", p.root).stdout)
	return l.measureIn(p.root, "lessons", len(l.probes))
}

// everywhere repeats the measurement with the memories changed so that they are not tied
// to a single request.
func (l *lesson) everywhere() []probed {
	l.t.Helper()
	p := l.copyOf(l.root)
	name := filepath.Join("agents", "clerk", "memories.jsonl")
	raw, err := os.ReadFile(filepath.Join(p.root, name))
	if err != nil {
		l.t.Fatal(err)
	}
	p.write(name, regexp.MustCompile(`"about":"(\\.|[^"\\])*",`).ReplaceAllString(string(raw), ""))
	return l.measureIn(p.root, "everywhere", len(l.probes))
}
