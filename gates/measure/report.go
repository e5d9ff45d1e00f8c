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

// report runs the command once in a tree and parses its output.
func (y *Yard) report(ctx context.Context, b *Built) (gobench.Run, error) {
	if err := y.Ready(); err != nil {
		return nil, err
	}
	timed, cancel := context.WithTimeoutCause(ctx, runTime, errSlow)
	defer cancel()
	spec, err := y.commanding(b)
	if err != nil {
		return nil, err
	}
	out, err := y.command(timed, spec, y.Command)
	if errors.Is(err, sandbox.ErrProgram) {
		return nil, &CodeError{err.Error()}
	}
	if err != nil {
		return nil, err
	}
	run, err := gobench.ReadReport(bytes.NewReader(out), y.Metric)
	if err != nil {
		return nil, &CodeError{filepath.Base(y.Command[0]) + ": " + err.Error()}
	}
	return run, nil
}

// commanding returns the sandbox of the command. The command may build in the tree and
// with a build cache, but nothing that it writes persists to the next run.
func (y *Yard) commanding(b *Built) (sandbox.Spec, error) {
	s := sandbox.Spec{
		Dir: y.inside(b.tree, treePlace), ReadOnly: []string{y.Tools.Root}, Temp: y.Folder, Env: y.environment(b.tree),
		Limits: sandbox.Limits{Total: mostMemory, FileSize: mostFile, Processes: mostProcs},
	}
	if _, err := os.Stat(y.Tools.Modules); err == nil {
		s.ReadOnly = append(s.ReadOnly, y.Tools.Modules)
	}
	if y.Sandbox.Layers() == nil {
		s.Layers = []sandbox.Layer{{Lower: b.tree, Path: treePlace, Size: mostMemory / 2}, {Lower: y.Cache, Path: cachePlace, Size: mostMemory / 2}}
		s.Env = append(s.Env, "GOCACHE="+cachePlace)
		return s, nil
	}
	// Without layers each run gets a fresh copy at one path for all sides, and an empty
	// build cache.
	dir := filepath.Join(y.Folder, "run")
	if err := os.RemoveAll(dir); err != nil {
		return s, fmt.Errorf("making room for a run: %w", err)
	}
	if err := os.CopyFS(dir, os.DirFS(b.tree)); err != nil {
		return s, fmt.Errorf("making room for a run: %w", err)
	}
	if y.Sandbox.Err() == nil {
		s.Shown = []sandbox.Shown{{Source: dir, Path: treePlace, Writable: true}}
	} else {
		s.Dir = dir
	}
	return s, nil
}
