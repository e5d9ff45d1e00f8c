package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"evolve/bench/grade"
	"evolve/cmd/evolve/internal/nightly"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/command"
	"evolve/runtime/sandbox"
	"evolve/runtime/scrub"
)

// walls are what stands between foreign programs and the workspace: the sandbox,
// and the scrubber of what comes out of it.
type walls struct {
	scrubber *scrub.Scrubber
	// root is the workspace's folder, which no program sees but for its own part.
	root string
	// sandbox finds the walls of this machine, once and only when they are needed.
	sandbox func() sandbox.Walls
}

var _ grade.Runner = (*walls)(nil)

func (sh *shell) newWalls(w *workspace.Workspace) *walls {
	return &walls{
		scrubber: scrub.New(sh.secrets(w)), root: w.Root,
		sandbox: sync.OnceValue(func() sandbox.Walls { return sandbox.Detect(sh.ctx) }),
	}
}

// secrets are the values that must never be kept: of the variables that are passed
// to agents, and of those whose name says so.
func (sh *shell) secrets(w *workspace.Workspace) []string {
	var passed, values []string
	for i := range w.Agents {
		passed = append(passed, w.Agents[i].Adapter.Env...)
	}
	telling := []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"}
	for _, variable := range sh.env {
		name, value, _ := strings.Cut(variable, "=")
		tells := func(part string) bool { return strings.Contains(strings.ToUpper(name), part) }
		// A path is where a secret lies, and a number is a setting such as MAX_TOKENS.
		plain := filepath.IsAbs(value) || strings.Trim(value, "0123456789") == ""
		if slices.Contains(passed, name) || slices.ContainsFunc(telling, tells) && !plain {
			values = append(values, value)
		}
	}
	return values
}

// RunGrader runs a command grader: without network, with an empty environment,
// nothing of the workspace but its suite's folder, and nothing writable but the
// working directory.
func (w *walls) RunGrader(ctx context.Context, p grade.Program) (grade.Exit, error) {
	timed, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		return grade.Exit{}, fmt.Errorf("finding the suite's folder: %w", err)
	}
	spec := sandbox.Spec{Argv: p.Argv, Dir: dir, Hidden: []string{w.root}, Limits: sandbox.Limits{Processes: 4096}}
	if p.Workdir != "" {
		work, err := filepath.Abs(p.Workdir)
		if err != nil {
			return grade.Exit{}, fmt.Errorf("finding the working directory: %w", err)
		}
		spec.Writable, spec.Temp = []string{work}, filepath.Dir(work)
	}
	exit, out, err := w.sandbox().Run(timed, spec, p.Stdin, p.MaxOutput)
	timedOut := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
	if err != nil && !timedOut {
		return grade.Exit{}, err
	}
	return grade.Exit{Code: exit.Code, Stdout: out.Stdout, Stderr: out.Stderr, Truncated: out.Truncated, TimedOut: timedOut}, nil
}

// openCommand makes an operator's program ready to run.
func (sh *shell) openCommand(_ context.Context, a *workspace.Agent, scratch string, walls *walls, identity string) (nightly.Opened, error) {
	ad := a.Adapter
	around := sandbox.None("switched off")
	if ad.Sandbox != "none" {
		around = walls.sandbox()
	}
	scratch, err := filepath.Abs(scratch)
	if err != nil {
		return nightly.Opened{}, fmt.Errorf("finding the folder of working directories: %w", err)
	}
	var env []string
	for _, name := range ad.Env {
		if value, ok := sh.lookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	opened, err := command.New(command.Options{
		Argv: ad.Argv, Dir: a.Dir, Protocol: ad.Protocol, Pool: ad.Pool, Timeout: ad.Timeout, Env: env,
		Walls: around, Network: ad.Network != "none", Scrub: walls.scrubber.String, Scratch: scratch, Hidden: []string{walls.root},
	})
	if err != nil {
		return nightly.Opened{}, fmt.Errorf("agent %s: %w", a.ID, err)
	}
	return nightly.Opened{
		Agent: opened, Identity: identity, Sandbox: around.Name(), Parallel: max(ad.Pool, 1), Workdir: true, Close: opened.Close,
	}, nil
}
