package doctor

import (
	"context"
	"errors"
	"maps"
	"slices"

	"evolve/bench"
	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/gotest"
	"evolve/runtime/text"
)

// checkBlocks checks the marked blocks of a target whose code is searched, whether the
// target's commands can be started, and what they print for the unchanged code. It returns
// the target if its cases are known.
func checkBlocks(ctx context.Context, p Probes, w *workspace.Workspace, t workspace.PatchTarget) ([]Check, *coding.Prospect) {
	const manual = "`evolve help code` describes targets and marks"
	if t.Scoring == nil {
		return nil, nil
	}
	name := "patches " + t.Name
	found, err := p.Blocks(ctx, w, t.Name)
	var problem *coding.Problem
	var tools *gotest.NoToolchainError
	switch {
	case errors.As(err, &problem):
		return []Check{warn(name, manual, "its blocks are not searched: %s", text.OneLine(problem.Text))}, nil
	case err != nil:
		return nil, nil // the target's own check reports why the target cannot be read
	}
	var checks []Check
	if words := found.Uncommitted(); words != "" {
		checks = append(checks, warn(name, "commit the changes that nights should start from", "%s", words))
	}
	for _, words := range found.Skipped() {
		checks = append(checks, warn(name, manual, "%s", words))
	}
	commands := [][]string{t.Scoring.Test, t.Scoring.Score}
	if len(t.Scoring.Build) > 0 { // the build may create the programs that test and score
		commands = [][]string{t.Scoring.Build}
	}
	for _, argv := range commands {
		if len(argv) > 0 && !measures(ctx, p, t.Dir(w.Root), argv[0]) {
			return append(checks, warn(name, "name an installed program, or one in the repository, such as ./score", "%q cannot be found, so the target's blocks cannot be searched", argv[0])), nil
		}
	}
	checks = append(checks, ok(name, "its blocks are searched at night: %s", found.Names()))
	if found.Suite == nil && p.Score != nil {
		tried, err := p.Score(ctx, w, t.Name)
		switch {
		case errors.As(err, &problem):
			return append(checks, warn(name, manual+"; use --trial to give its commands more time, or --trial 0 to skip the trial", "a trial of its commands found a problem: %s", text.OneLine(problem.Text))), nil
		case errors.As(err, &tools):
			return append(checks, warn(name, "install Go, or add its folder to PATH", "its blocks are not searched: %s", text.OneLine(tools.Error()))), nil
		case err != nil:
			return append(checks, fail(name, "", "its commands cannot be tried: %w", err)), nil
		}
		if found = tried; found.Own() != "" && len(t.Scoring.Build)+len(t.Scoring.Test) > 0 {
			checks = append(checks, ok(name, "its current code passes build and test"))
		}
	}
	if found.Own() != "" || found.Suite == nil {
		return checks, nil
	}
	cases := ok(name, "its current code was scored on %s and %s",
		text.Count(len(found.Suite.Side(bench.Search)), "search case"), text.Count(len(found.Suite.Side(bench.Holdout)), "held-out case"))
	if n := found.Noise(); n != nil {
		cases.Text += "; " + n.Words(found.Kind().Unit)
		cases.Hint = "its finalists are scored many times: to save evaluations, use a seed in the scoring command, or the median of several measurements as the value"
	}
	return append(checks, cases), found
}

// withCode returns the workspace in the form in which a night uses it: the targets whose
// cases are known are added as agents.
func withCode(w *workspace.Workspace, found []*coding.Prospect) *workspace.Workspace {
	if len(found) == 0 {
		return w
	}
	out := *w
	out.Agents, out.Suites = slices.Clone(w.Agents), maps.Clone(w.Suites)
	for _, p := range found {
		if _, taken := w.Agent(p.Agent.ID); !taken && w.Suites[p.Agent.ID] == nil {
			out.Agents, out.Suites[p.Agent.ID] = append(out.Agents, *p.Agent), p.Suite
		}
	}
	return &out
}
