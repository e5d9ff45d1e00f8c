//go:build unix

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"time"
)

// markVar is the environment variable that marks every process that a test starts in its
// workspace.
const markVar = "TRIAL_MARK"

// nothingLeft checks that no process of the place remains, if the system makes that
// visible. Killed processes may take a moment to end.
func (p place) nothingLeft() {
	p.t.Helper()
	left := p.leftovers()
	for deadline := time.Now().Add(10 * time.Second); len(left) > 0 && time.Now().Before(deadline); left = p.leftovers() {
		time.Sleep(10 * time.Millisecond)
	}
	if len(left) > 0 {
		p.t.Errorf("processes are left: %q", left)
	}
}

// leftovers lists the command lines of the processes that carry the place's mark.
func (p place) leftovers() []string {
	p.t.Helper()
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		p.t.Fatal(err)
	}
	if len(environments) == 0 {
		p.t.Log("this system does not show the environment of processes")
	}
	var out []string
	mark := []byte(markVar + "=" + p.root + "\x00")
	for _, path := range environments {
		if env, err := os.ReadFile(path); err == nil && bytes.Contains(env, mark) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			out = append(out, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return out
}
