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

// Built is a tree together with its compiled benchmarks.
type Built struct {
	tree, bin string
	binaries  []binary
}

// binary is a compiled test: the name of its file, and the folder in which it is run, as
// a path inside the sandbox.
type binary struct{ file, dir string }

// Compile compiles the tests and benchmarks of a tree. It runs only the toolchain, never
// the compiled code. tree is the absolute path of the tree, which still belongs to the
// caller. name distinguishes builds; an earlier build with the same name is replaced.
func (r *Runner) Compile(ctx context.Context, name, tree string) (*Built, error) {
	b := &Built{tree: tree, bin: filepath.Join(r.Folder, "bin", name)}
	if err := os.RemoveAll(b.bin); err != nil {
		return nil, fmt.Errorf("preparing the folder for the benchmarks: %w", err)
	}
	if err := errors.Join(os.MkdirAll(b.bin, 0o700), os.MkdirAll(r.Cache, 0o700)); err != nil {
		return nil, fmt.Errorf("preparing the folder for the benchmarks: %w", err)
	}
	timed, cancel := context.WithTimeoutCause(ctx, compileTime, errSlow)
	defer cancel()
	tool := r.Tools.Command()
	spec := r.compiling(b)
	if len(r.Command) > 0 {
		if err := r.warm(timed, spec, tree, tool); err != nil {
			return nil, err
		}
	}
	if len(r.Packages) == 0 {
		return b, nil
	}
	list := append([]string{tool, "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}"}, r.Packages...)
	out, err := r.command(timed, spec, list)
	if err != nil {
		return nil, fmt.Errorf("listing the packages: %w", err)
	}
	for dir := range strings.Lines(string(out)) {
		dir = strings.TrimSpace(dir)
		if dir == "" {
			continue
		}
		file := fmt.Sprintf("%d.test", len(b.binaries))
		if _, err := r.command(timed, spec, []string{tool, "test", "-c", "-o", path.Join(r.inside(b.bin, binPlace), file), dir}); err != nil {
			return nil, fmt.Errorf("compiling the benchmarks: %w", err)
		}
		b.binaries = append(b.binaries, binary{file, dir})
	}
	return b, nil
}

// warm builds the modules in a tree to fill the build cache for a command that builds the
// tree again. It ignores build errors, which show up when the command runs.
func (r *Runner) warm(ctx context.Context, spec sandbox.Spec, tree, tool string) error {
	packages := "./..."
	if has(tree, "go.work") {
		packages = "work" // the packages in all modules of the workspace
	} else if !has(tree, "go.mod") {
		return nil
	}
	_, err := r.command(ctx, spec, []string{tool, "build", "-o", os.DevNull, packages})
	var code *CodeError
	if errors.As(err, &code) {
		return nil
	}
	return err
}

// compiling returns the specification of the sandbox in which the toolchain compiles a
// tree.
func (r *Runner) compiling(b *Built) sandbox.Spec {
	s := sandbox.Spec{
		Dir: r.inside(b.tree, treePlace), ReadOnly: r.installed(), Writable: []string{r.Cache}, Temp: r.Folder,
		Limits: sandbox.Limits{Total: mostMemory, Processes: sandbox.ProcessLimit()}, Env: append(r.environment(b.tree), "GOCACHE="+r.Cache),
	}
	if r.Sandbox.Err() == nil {
		s.Shown = []sandbox.Shown{{Source: b.tree, Path: treePlace}, {Source: b.bin, Path: binPlace, Writable: true}}
	}
	return s
}

// environment returns the environment for commands on a tree, without GOCACHE. Without a Go
// installation it returns nil, which stands for the sandbox's environment.
func (r *Runner) environment(tree string) []string {
	if !r.hasGo() {
		return nil
	}
	work := "off"
	if has(tree, "go.work") {
		work = filepath.Join(r.inside(tree, treePlace), "go.work")
	}
	vendored := has(tree, "vendor/modules.txt") || has(tree, filepath.Join(filepath.FromSlash(r.Start), "vendor/modules.txt"))
	return r.Tools.Environment(vendored, r.Cgo, work)
}

// has reports whether a tree contains a file.
func has(tree, file string) bool {
	_, err := os.Stat(filepath.Join(tree, file))
	return err == nil
}
