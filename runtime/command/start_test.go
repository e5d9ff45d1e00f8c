package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
)

// TestBlame tests that a start that fails because of the program counts towards the
// score, and that a start that fails because of the machine does not.
func TestBlame(t *testing.T) {
	dir := t.TempDir()
	for name, file := range map[string]struct {
		text string
		mode os.FileMode
	}{
		"plain": {"x", 0o644}, "orphan": {"#!/no/such/interpreter\n", 0o755}, "garbage": {"\x00\x01\x02", 0o755}, "good": {"#!/bin/sh\n", 0o755},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(file.text), file.mode); err != nil {
			t.Fatal(err)
		}
	}
	gone := filepath.Join(dir, "gone")
	for name, c := range map[string]struct {
		program, scratch string
		want             agent.Outcome
		text             string
	}{
		"absent":            {"./absent", "", agent.Execution, "no such program"},
		"not executable":    {"./plain", "", agent.Execution, "not executable"},
		"no interpreter":    {"./orphan", "", agent.Execution, "no such file"},
		"no program":        {"./garbage", "", agent.Execution, "exec format error"},
		"not in PATH":       {"no-such-program-anywhere", "", agent.Execution, "no such program in PATH"},
		"no scratch folder": {"./good", gone, agent.Infrastructure, "gone"},
	} {
		for _, walls := range []sandbox.Sandbox{detect(), off} {
			if c.want == agent.Infrastructure && walls.Err() != nil {
				continue // without isolation nothing is mounted
			}
			for _, protocol := range []string{JSONL, Once} {
				req := ask("e", "")
				req.Workdir = c.scratch
				a := newAgent(t, Options{Argv: []string{c.program}, Dir: dir, Scratch: c.scratch, Protocol: protocol, Sandbox: walls})
				if res := a.Run(t.Context(), req); res.Outcome != c.want || !strings.Contains(res.Error, c.text) {
					t.Errorf("%s, %s, %s: %s with %q, want %s with %q", name, protocol, walls.Name(), res.Outcome, res.Error, c.want, c.text)
				}
			}
		}
	}
}
