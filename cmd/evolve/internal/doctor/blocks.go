package doctor

import (
	"context"
	"errors"

	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/text"
)

// checkBlocks checks the marked blocks of a target whose code is searched, and that its
// commands can be started. It runs nothing.
func checkBlocks(ctx context.Context, p Probes, w *workspace.Workspace, t workspace.PatchTarget) []Check {
	if t.Scoring == nil {
		return nil
	}
	name := "patches " + t.Name
	found, err := p.Blocks(ctx, w, t.Name)
	var problem *coding.Problem
	switch {
	case errors.As(err, &problem):
		return []Check{warn(name, "`evolve help code` describes targets and marks", "its blocks are not searched: %s", text.OneLine(problem.Text))}
	case err != nil:
		return nil // the check of the target reports why it cannot be read
	}
	var checks []Check
	if words := found.Uncommitted(); words != "" {
		checks = append(checks, warn(name, "commit them, if a night is to start from them", "%s", words))
	}
	commands := [][]string{t.Scoring.Test, t.Scoring.Score}
	if len(t.Scoring.Build) > 0 { // which may make the others
		commands = [][]string{t.Scoring.Build}
	}
	for _, argv := range commands {
		if len(argv) > 0 && !measures(ctx, p, t.Dir(w.Root), argv[0]) {
			return append(checks, warn(name, "name a program, or one in the repository, such as ./score", "%q is not to be found, so that its blocks cannot be searched", argv[0]))
		}
	}
	return append(checks, ok(name, "its blocks are searched at night: %s", found.Names()))
}
