package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/constants"
	"evolve/reports"
	"evolve/runtime/sandbox"
)

func (sh *shell) doctorCommand() *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "check the workspace and what a night needs around it",
		Description: "Looks at the files, git, the sandbox, the disk, the clock, the archive, the suites, each agent's " +
			"program, the power of each benchmark, and the targets of patches with their marked constants. It changes nothing. Warnings leave the exit code at 0; " +
			"what would stop a run ends it with 2 (files, agents), 7 (surroundings) or 8 (archive).",
		Action: func(c *cli.Context) error {
			root, err := sh.root(c)
			if err != nil {
				return err
			}
			checks := workspace.Doctor(c.Context, sh.probes(root))
			code := doctorCode(checks)
			if c.Bool("json") {
				err = sh.printJSON(map[string]any{"workspace": root, "checks": checks, "exit": code})
			} else {
				sh.printChecks(checks)
			}
			if err == nil && code != 0 {
				err = quietExit(code)
			}
			return err
		},
	}
}

// probes are doctor's eyes on this machine.
func (sh *shell) probes(root string) workspace.Probes {
	return workspace.Probes{
		Root:     root,
		Load:     func() (*workspace.Workspace, error) { return workspace.Load(root, builtins()) },
		Git:      workspace.RunGit(sh.env),
		Sandbox:  sandboxProbe,
		Free:     workspace.FreeSpace,
		Writable: workspace.TryWrite,
		Now:      sh.now,
		Archive:  func(ctx context.Context) (string, error) { return archiveProbe(ctx, root) },
		LookPath: exec.LookPath, LookupEnv: sh.lookupEnv,
		Probe: sh.ping,
		Marks: func(target string) (int, []constants.Problem, error) { return sh.patchReader(root).Marks(target) },
	}
}

// sandboxProbe names the walls of this machine.
func sandboxProbe(ctx context.Context) (string, error) {
	walls := sandbox.Detect(ctx)
	return walls.Name(), walls.Err()
}

// archiveProbe says how much is recorded and whether a run is on.
func archiveProbe(ctx context.Context, root string) (string, error) {
	a, err := archive.OpenRead(archiveDir(root))
	if err != nil {
		return "", err
	}
	defer func() { _ = a.Close() }()
	runs, running := 0, ""
	for r, err := range a.Runs(ctx) {
		if err != nil {
			return "", err
		}
		runs++
		if r.State == archive.RunRunning {
			running = r.ID
		}
	}
	n, _, err := a.LedgerHead(ctx)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("opens: %s, %s ledger entries", count(runs, "run"), humanize.Comma(n))
	if running != "" {
		text += "; run " + running + " has not ended: it is on, or its process died and the next run takes it up"
	}
	return text, nil
}

// doctorCode is what the checks that failed mean for a run.
func doctorCode(checks []workspace.Check) int {
	code := 0
	for _, k := range checks {
		if k.Status != workspace.StatusFail {
			continue
		}
		kind, _, _ := strings.Cut(k.Name, " ")
		switch kind {
		case "archive":
			return exitIntegrity
		case "git", "repository", "disk", "write", "clock", "sandbox", "provider", "patches":
			code = max(code, exitInfrastructure)
		default: // the workspace's own files
			code = max(code, exitUsage)
		}
	}
	return code
}

func (sh *shell) printChecks(checks []workspace.Check) {
	width, problems, warnings := 0, 0, 0
	for _, k := range checks {
		width = max(width, len([]rune(k.Name)))
	}
	for _, k := range checks {
		mark := "✓"
		switch k.Status {
		case workspace.StatusWarn:
			mark = "!"
			warnings++
		case workspace.StatusFail:
			mark = "✗"
			problems++
		}
		_, _ = fmt.Fprintf(sh.stdout, "%s %-*s  %s\n", mark, width, reports.Visible(k.Name), reports.Visible(k.Text))
		if k.Hint != "" {
			_, _ = fmt.Fprintf(sh.stdout, "  %-*s  → %s\n", width, "", reports.Visible(k.Hint))
		}
	}
	switch {
	case problems > 0:
		_, _ = fmt.Fprintf(sh.stdout, "\n%s in the way of a run, %s\n", count(problems, "thing"), count(warnings, "warning"))
	case warnings > 0:
		_, _ = fmt.Fprintf(sh.stdout, "\nready, with %s\n", count(warnings, "warning"))
	default:
		_, _ = fmt.Fprintln(sh.stdout, "\nready")
	}
}
