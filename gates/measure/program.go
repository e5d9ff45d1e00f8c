package measure

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"evolve/bench/metrics"
	"evolve/runtime/sandbox"
)

// Program builds and scores versions of one program, written in any language, with the
// commands of its target. Every version is at the same path inside the sandbox.
type Program struct {
	*Runner
	// Tree is the absolute path of the exported base.
	Tree string
	// Build, Test and Score are commands with their arguments, which start in the folder
	// Start of the tree. Build and Test may be empty. Score gets the names of the cases as
	// further arguments and prints output in the format that [metrics.Read] reads. Without
	// names it scores all cases.
	Build, Test, Score []string
	// MakeTime limits the time for building and testing a version; 0 means ten minutes.
	// RunTime limits the time for one run of the scoring command; 0 means five minutes.
	MakeTime, RunTime time.Duration
	// Memory limits the memory use of each command and all its processes, in bytes; 0 means
	// 4 GiB.
	Memory uint64
}

// SlowError reports that a version did not end in time. It wraps a [CodeError].
type SlowError struct {
	error
	// Command is the command that was running. Limit is the time limit that it exceeded,
	// which a build and its tests share. Usual reports whether the limit is the default.
	Command []string
	Limit   time.Duration
	Usual   bool
}

// Unwrap returns the [CodeError].
func (e *SlowError) Unwrap() error { return e.error }

// Version is a version of the program that was built.
type Version struct{ tree string }

// Make writes a version, builds it and runs its tests. files replace files of the base, by
// their slash-separated paths. name distinguishes versions; an earlier version with the
// same name is replaced. A [CodeError] reports that the version does not build or fails its
// tests.
func (p *Program) Make(ctx context.Context, name string, files map[string][]byte) (*Version, error) {
	if err := p.Ready(); err != nil {
		return nil, err
	}
	v := &Version{tree: filepath.Join(p.Folder, "versions", name)}
	err := errors.Join(os.RemoveAll(v.tree), os.MkdirAll(p.Cache, 0o700))
	if err == nil {
		err = os.CopyFS(v.tree, os.DirFS(p.Tree))
	}
	for path, data := range files {
		full := filepath.Join(v.tree, filepath.FromSlash(path))
		var info os.FileInfo
		if err == nil {
			info, err = os.Lstat(full)
		}
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s is not a regular file", path)
		}
		if err == nil {
			err = os.WriteFile(full, data, info.Mode().Perm())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("writing a version: %w", err)
	}
	limit := cmp.Or(p.MakeTime, compileTime)
	timed, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()
	if len(p.Build) > 0 {
		if err := p.build(timed, v); err != nil {
			return nil, errors.Join(blamed(timed, err, p.Build, limit, compileTime), v.Remove())
		}
	}
	if len(p.Test) > 0 {
		if _, err := p.inTree(timed, v, p.Test); err != nil {
			return nil, errors.Join(blamed(timed, err, p.Test, limit, compileTime), v.Remove())
		}
	}
	return v, nil
}

// Within caps two time limits at limit, which must be above 0. One is the time limit for
// a build with its tests, the other is the time limit for one start of the scoring
// command.
func (p *Program) Within(limit time.Duration) {
	p.MakeTime, p.RunTime = min(limit, cmp.Or(p.MakeTime, compileTime)), min(limit, cmp.Or(p.RunTime, runTime))
}

// Tree returns the absolute path of the folder that holds the version's files.
func (v *Version) Tree() string { return v.tree }

// Remove removes the files of a version.
func (v *Version) Remove() error { return os.RemoveAll(v.tree) }

// build runs the build command. The files that it writes stay in the version's tree.
func (p *Program) build(ctx context.Context, v *Version) error {
	s := p.building(v)
	switch {
	case !p.hasGo():
	case compilesOnly(p.Build):
		p.keepCache(&s)
	case p.Sandbox.Layers() == nil: // the programs that the command runs must not change the cache for later builds
		s.Layers = []sandbox.Layer{{Lower: p.Cache, Path: cachePlace, Size: mostMemory / 2}}
		s.Env = append(s.Env, "GOCACHE="+cachePlace)
	}
	_, err := p.command(ctx, s, p.Build)
	return err
}

// building returns the specification of the sandbox for a command that writes to a
// version's tree. It has no build cache.
func (p *Program) building(v *Version) sandbox.Spec {
	s := sandbox.Spec{
		Dir: p.start(v.tree), ReadOnly: p.installed(), Temp: p.Folder, Env: p.environment(v.tree),
		Limits: sandbox.Limits{Total: cmp.Or(p.Memory, mostMemory), FileSize: mostFile, Processes: sandbox.ProcessLimit()},
	}
	if p.Sandbox.Err() == nil {
		s.Shown = []sandbox.Shown{{Source: v.tree, Path: treePlace, Writable: true}}
	} else {
		s.Writable = []string{v.tree}
	}
	return s
}

// keepCache changes a specification so that the command can write to the build cache.
func (p *Program) keepCache(s *sandbox.Spec) {
	s.Writable = append(s.Writable, p.Cache)
	s.Env = append(s.Env, "GOCACHE="+p.Cache)
}

// compilesOnly reports whether a command runs only Go's compiler and none of the programs
// that it compiled.
func compilesOnly(argv []string) bool {
	return len(argv) > 1 && argv[0] == "go" && slices.Contains([]string{"build", "vet", "install"}, argv[1])
}

// inTree runs a command in the tree of a version. Nothing that the command writes persists,
// so several commands may run at once.
func (p *Program) inTree(ctx context.Context, v *Version, argv []string) (out []byte, err error) {
	dir, err := os.MkdirTemp(p.Folder, "run-")
	if err != nil {
		return nil, fmt.Errorf("preparing the folder for a run: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := p.commanding(&Built{tree: v.tree}, dir)
	if err != nil {
		return nil, err
	}
	s.Limits.Total = cmp.Or(p.Memory, s.Limits.Total)
	return p.command(ctx, s, argv)
}

// Values returns the values of a version on the named cases, or on all cases if none are
// named. A [CodeError] reports that the command failed or printed no values.
func (p *Program) Values(ctx context.Context, v *Version, cases ...string) ([]metrics.Value, error) {
	out, err := p.Output(ctx, v, cases...)
	if err != nil {
		return nil, err
	}
	values, err := metrics.Read(bytes.NewReader(out))
	if err != nil {
		return nil, &CodeError{filepath.Base(p.Score[0]) + ": " + err.Error()}
	}
	return values, nil
}

// Output returns the output of the scoring command for the named cases. A [CodeError]
// reports that the command failed.
func (p *Program) Output(ctx context.Context, v *Version, cases ...string) ([]byte, error) {
	limit := cmp.Or(p.RunTime, runTime)
	timed, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()
	out, err := p.inTree(timed, v, slices.Concat(p.Score, cases))
	if err != nil {
		return nil, blamed(timed, err, p.Score, limit, runTime)
	}
	return out, nil
}

// blamed returns err as a [SlowError] if the time limit was exceeded, as a [CodeError] if a
// program cannot be started, and unchanged otherwise.
func blamed(timed context.Context, err error, command []string, limit, usual time.Duration) error {
	switch {
	case errors.Is(context.Cause(timed), errSlow):
		return &SlowError{err, command, limit, limit == usual}
	case errors.Is(err, sandbox.ErrProgram):
		return &CodeError{err.Error()}
	}
	return err
}
