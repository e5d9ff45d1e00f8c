package review

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/gates"
	"evolve/gates/gotest"
	"evolve/gates/typed"
	"evolve/patch"
)

// buildGate is the name of the gate that must pass before the benchmark and the rehearsal
// of a rollback can run in a target with Go code.
const buildGate = gotest.Build

// lab returns the environment in which the tests of a patch run.
func (w *gateRun) lab(ctx context.Context) (*gotest.Lab, error) {
	if err := w.toolchain(ctx); err != nil {
		return nil, err
	}
	cache, temp := w.cacheFolder(), filepath.Join(w.scratch, "temp")
	if err := errors.Join(os.MkdirAll(cache, 0o700), os.MkdirAll(temp, 0o700)); err != nil {
		return nil, fmt.Errorf("creating the folder for the build cache: %w", err)
	}
	return &gotest.Lab{
		Sandbox: w.Sandbox(), Unwalled: w.Unsandboxed, Toolchain: *w.tools, Cache: cache, Temp: temp, Random: rand.Reader, Now: w.Now, Cgo: w.target.Policy.Cgo,
	}, nil
}

// toolchain finds the Go toolchain once for all gates of the run.
func (w *gateRun) toolchain(ctx context.Context) error {
	if w.tools != nil {
		return nil
	}
	tools, err := gotest.FindToolchain(ctx, "go")
	if err == nil {
		w.tools = &tools
	}
	return err
}

// testGates returns the gates that type-check a patched module and run it. done removes the
// files of the gates.
func (w *gateRun) testGates(ctx context.Context, c gotest.Change) (list []gates.Gate, done func() error, err error) {
	if w.tests != nil {
		return w.tests(c), func() error { return nil }, nil
	}
	lab, err := w.lab(ctx)
	if err != nil {
		return nil, nil, err
	}
	list, done, err = lab.Gates(c)
	types := typed.Gates(typed.Change{Base: c.Base, Candidate: c.Candidate, Changed: c.Changed, Root: w.tools.Root, Modules: w.tools.Modules})
	return append(types, list...), done, err
}

// rehearse reverts the patch in a scratch tree. The result must be the base, byte for byte.
// If the target contains Go code, the result must also build and pass its tests.
func (w *gateRun) rehearse(ctx context.Context) (gates.Verdict, string) {
	if err := w.repo.Rehearse(w.base, w.files); err != nil {
		return gates.Failed, "rolling the patch back: " + err.Error()
	}
	tree, err := w.repo.TreeOf(w.base)
	if err != nil {
		return gates.NotRun, "the base could not be read: " + err.Error()
	}
	if !w.hasGo {
		evidence := "rehearsed: rolling the patch back restores the base, byte for byte"
		if w.commanded() {
			evidence += fmt.Sprintf(", which passed the commands of the gate %q", gateProgram)
		}
		return gates.Passed, evidence
	}
	// Both sides are the base, so that tests that the patch repairs do not count as
	// broken.
	before, after, err := w.exportReversed(ctx, tree, tree)
	if err != nil {
		return gates.NotRun, "the rollback could not be rehearsed: " + err.Error()
	}
	verdicts, err := w.compareReversed(ctx, before, after, patch.Reverse(w.files), gotest.Build, gotest.Vet, gotest.Affected)
	if err != nil {
		return gates.NotRun, "the rollback could not be rehearsed: " + err.Error()
	}
	if bad, ok := allPass(verdicts); !ok {
		return gates.Failed, fmt.Sprintf("with the patch rolled back, the verdict of the gate %q is %s: %s", bad.Gate, bad.Verdict, bad.Evidence)
	}
	return gates.Passed, "rehearsed: rolling the patch back restores the base, byte for byte, and the result passes " + named(verdicts)
}

// compareReversed runs the named gates on the reversal of a patch. before and after are
// the folders of the trees before and after the reversal, and files are the files that it
// changes. Tests that the patch added are removed from the tree in before, and are not
// run.
func (w *gateRun) compareReversed(ctx context.Context, before, after string, files []patch.File, names ...string) (verdicts []archive.GateVerdict, err error) {
	c := gotest.Change{Base: before, Candidate: after}
	for _, f := range files {
		if f.New == nil && gotest.IsTest(f.Path) {
			if err := os.Remove(filepath.Join(c.Base, filepath.FromSlash(f.Path))); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("leaving %s out: %w", f.Path, err)
			}
			continue
		}
		c.Changed = append(c.Changed, f.Path)
	}
	if len(c.Changed) == 0 {
		return []archive.GateVerdict{{Gate: gotest.NewTests, Verdict: string(gates.Passed), Evidence: "the rollback removes only tests that the patch added"}}, nil
	}
	list, done, err := w.testGates(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	list = slices.DeleteFunc(list, func(g gates.Gate) bool { return !slices.Contains(names, g.Name) })
	return gates.Run(ctx, list), context.Cause(ctx)
}

// exportReversed writes the tree before the reversal of a patch, and the tree after it, to
// folders.
func (w *gateRun) exportReversed(ctx context.Context, from, to string) (before, after string, err error) {
	dir := filepath.Join(w.scratch, "back")
	before, after = filepath.Join(dir, "from"), filepath.Join(dir, "to")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", "", fmt.Errorf("preparing the folder for the trees: %w", err)
	}
	return before, after, errors.Join(w.repo.Export(ctx, from, before), w.repo.Export(ctx, to, after))
}

// named lists the names of the gates in a list of verdicts.
func named(list []archive.GateVerdict) string {
	var out []string
	for _, v := range list {
		out = append(out, v.Gate)
	}
	return strings.Join(out, ", ")
}
