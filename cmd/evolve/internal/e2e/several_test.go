//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// several returns the workspace that tiny makes, with three agents that run side by side.
func several(t *testing.T) place {
	t.Helper()
	p := tiny(t)
	first := filepath.Join(p.root, "agents", "aide")
	for _, name := range []string{"bide", "cede"} {
		at := filepath.Join(p.root, "agents", name)
		if err := os.CopyFS(at, os.DirFS(first)); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(at, "agent.yaml")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), "id: aide", "id: "+name, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.flags = []string{"--seed", "7", "--budget-evals", "600"}
	return p
}

// TestSeveralAgentsInterrupted checks that an interrupt ends all agents that run side by
// side, and that the resumed run gives the same report as an undisturbed run.
func TestSeveralAgentsInterrupted(t *testing.T) {
	t.Parallel()
	want := kindOf("several").undisturbed(t)
	p := several(t)
	seen := p.interrupt(want.evaluations/4, syscall.SIGINT)
	p.stopped(seen, syscall.SIGINT)
	p.do(0, p.night("--resume")...)
	p.intact([]mark{p.mark(seen)}, want)
}

// kindOf returns the kind with the given name.
func kindOf(name string) *kind {
	for _, k := range kinds {
		if k.name == name {
			return k
		}
	}
	return nil
}
