package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"evolve/bench/gobench"
	"evolve/runtime/sandbox"
)

// report runs the target's command once in a tree and parses its output.
func (r *Runner) report(ctx context.Context, b *Built) (gobench.Run, error) {
	if err := r.Ready(); err != nil {
		return nil, err
	}
	timed, cancel := context.WithTimeoutCause(ctx, runTime, errSlow)
	defer cancel()
	spec, err := r.commanding(b, filepath.Join(r.Folder, "run"))
	if err != nil {
		return nil, err
	}
	out, err := r.command(timed, spec, r.Command)
	if errors.Is(err, sandbox.ErrProgram) {
		return nil, &CodeError{err.Error()}
	}
	if err != nil {
		return nil, err
	}
	run, err := gobench.ReadReport(bytes.NewReader(out), r.Metric)
	if err != nil {
		return nil, &CodeError{filepath.Base(r.Command[0]) + ": " + err.Error()}
	}
	return run, nil
}

// commanding returns the specification of the sandbox for the command. The command may
// build in the tree and use a build cache, but nothing that it writes is kept for the next
// run. If the sandbox has no layers, each run gets a fresh copy of the tree in dir and no
// shared build cache.
func (r *Runner) commanding(b *Built, dir string) (sandbox.Spec, error) {
	s := sandbox.Spec{
		Dir: r.start(b.tree), ReadOnly: r.installed(), Temp: r.Folder, Env: r.environment(b.tree),
		Limits: sandbox.Limits{Total: mostMemory, FileSize: mostFile, Processes: sandbox.ProcessLimit()},
	}
	if r.Sandbox.Layers() == nil {
		s.Layers = []sandbox.Layer{{Lower: b.tree, Path: treePlace, Size: mostMemory / 2}}
		if r.hasGo() {
			s.Layers = append(s.Layers, sandbox.Layer{Lower: r.Cache, Path: cachePlace, Size: mostMemory / 2})
			s.Env = append(s.Env, "GOCACHE="+cachePlace)
		}
		return s, nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return s, fmt.Errorf("preparing the folder for a run: %w", err)
	}
	if err := os.CopyFS(dir, os.DirFS(b.tree)); err != nil {
		return s, fmt.Errorf("preparing the folder for a run: %w", err)
	}
	if r.Sandbox.Err() == nil {
		s.Shown = []sandbox.Shown{{Source: dir, Path: treePlace, Writable: true}}
	} else {
		s.Dir = r.start(dir)
	}
	return s, nil
}
