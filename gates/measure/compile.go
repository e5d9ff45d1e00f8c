package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"evolve/runtime/sandbox"
)

// Built is a tree with its compiled benchmarks.
type Built struct {
	tree, bin string
	binaries  []binary
}

// binary is a compiled test and the folder that it is run in, by its path inside the
// sandbox.
type binary struct{ file, dir string }

// Compile compiles the tests and benchmarks of a tree; it runs only the toolchain, never
// the compiled code. tree is the absolute folder of the tree, which remains the caller's.
// name distinguishes builds; an earlier build with the same name is replaced.
func (y *Yard) Compile(ctx context.Context, name, tree string) (*Built, error) {
	b := &Built{tree: tree, bin: filepath.Join(y.Folder, "bin", name)}
	if err := os.RemoveAll(b.bin); err != nil {
		return nil, fmt.Errorf("making room for the benchmarks: %w", err)
	}
	if err := errors.Join(os.MkdirAll(b.bin, 0o700), os.MkdirAll(y.Cache, 0o700)); err != nil {
		return nil, fmt.Errorf("making room for the benchmarks: %w", err)
	}
	timed, cancel := context.WithTimeoutCause(ctx, compileTime, errSlow)
	defer cancel()
	tool := filepath.Join(y.Tools.Root, "bin", "go")
	spec := y.compiling(b)
	if len(y.Command) > 0 {
		if err := y.warm(timed, spec, tree, tool); err != nil {
			return nil, err
		}
	}
	if len(y.Packages) == 0 {
		return b, nil
	}
	list := append([]string{tool, "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}"}, y.Packages...)
	out, err := y.command(timed, spec, list)
	if err != nil {
		return nil, fmt.Errorf("listing the packages: %w", err)
	}
	for dir := range strings.Lines(string(out)) {
		dir = strings.TrimSpace(dir)
		if dir == "" {
			continue
		}
		file := fmt.Sprintf("%d.test", len(b.binaries))
		if _, err := y.command(timed, spec, []string{tool, "test", "-c", "-o", path.Join(y.inside(b.bin, binPlace), file), dir}); err != nil {
			return nil, fmt.Errorf("compiling the benchmarks: %w", err)
		}
		b.binaries = append(b.binaries, binary{file, dir})
	}
	return b, nil
}

// warm builds a module to fill the build cache for a command that builds it again. It
// ignores build errors, which show when the command runs.
func (y *Yard) warm(ctx context.Context, spec sandbox.Spec, tree, tool string) error {
	if _, err := os.Stat(filepath.Join(tree, "go.mod")); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	_, err := y.command(ctx, spec, []string{tool, "build", "-o", os.DevNull, "./..."})
	var code *CodeError
	if errors.As(err, &code) {
		return nil
	}
	return err
}

// compiling returns the sandbox of the toolchain.
func (y *Yard) compiling(b *Built) sandbox.Spec {
	s := sandbox.Spec{
		Dir: y.inside(b.tree, treePlace), ReadOnly: []string{y.Tools.Root}, Writable: []string{y.Cache}, Temp: y.Folder,
		Limits: sandbox.Limits{Total: mostMemory, Processes: mostProcs}, Env: append(y.environment(b.tree), "GOCACHE="+y.Cache),
	}
	if _, err := os.Stat(y.Tools.Modules); err == nil {
		s.ReadOnly = append(s.ReadOnly, y.Tools.Modules)
	}
	if y.Sandbox.Err() == nil {
		s.Shown = []sandbox.Shown{{Source: b.tree, Path: treePlace}, {Source: b.bin, Path: binPlace, Writable: true}}
	}
	return s
}

// environment returns an environment without GOCACHE in which neither user nor tree can
// change how Go works.
func (y *Yard) environment(tree string) []string {
	mode, cgo := "-mod=readonly", "0"
	if _, err := os.Stat(filepath.Join(tree, "vendor", "modules.txt")); err == nil {
		mode = "-mod=vendor"
	}
	if y.Cgo {
		cgo = "1"
	}
	return []string{
		"PATH=" + filepath.Join(y.Tools.Root, "bin") + ":/usr/local/bin:/usr/bin:/bin", "GOFLAGS=" + mode + " -buildvcs=false", "GOENV=off", "GOPROXY=off", "GOSUMDB=off",
		"GOVCS=*:off", "GOTOOLCHAIN=local", "GOWORK=off", "CGO_ENABLED=" + cgo, "GOMODCACHE=" + y.Tools.Modules,
	}
}
