package gotest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"evolve/runtime/text"
)

// facts records the results of building, vetting and testing a module of the base. A
// candidate's results are compared with them.
type facts struct {
	// Build and Vet describe errors that the base already has; "" means none.
	Build string `json:"build,omitempty"`
	Vet   string `json:"vet,omitempty"`
	// Errors holds all messages from compiling the base, and Complaints all messages from
	// go vet, both without positions.
	Errors     []string `json:"errors,omitempty"`
	Complaints []string `json:"complaints,omitempty"`
	// Packages maps import paths to outcomes, including those of packages without tests.
	Packages map[string]outcome `json:"packages"`
}

// outcome is the result of one package's tests.
type outcome struct {
	// OK reports whether the package passed as a whole.
	OK bool `json:"ok"`
	// Passed, Failed and Skipped list tests and subtests. Unsteady lists those that both
	// passed and failed.
	Passed   []string `json:"passed,omitempty"`
	Failed   []string `json:"failed,omitempty"`
	Skipped  []string `json:"skipped,omitempty"`
	Unsteady []string `json:"unsteady,omitempty"`
}

// testFlags returns the flags for every run of tests through the Go tool. They are the same
// for base and candidate, because otherwise no result would be cached. Vetting has its own
// gate.
func (r goEnv) testFlags() []string {
	return []string{"-json", "-vet=off", "-timeout", r.limits.Tests.String()}
}

// draw builds, vets and tests a module in the base.
func (r goEnv) draw(ctx context.Context, m module, scratch string) (facts, error) {
	var f facts
	results, err := r.script(ctx, m, scratch, []step{
		{name: "build", argv: r.goCommand("build", "-o", os.DevNull, "./..."), compiles: true},
		{name: "vet", argv: r.goCommand("vet", "./..."), compiles: true},
		{name: "test", argv: r.goCommand(append(append([]string{"test"}, r.testFlags()...), "./...")...)},
	})
	if err != nil {
		return f, err
	}
	for name, to := range map[string]*string{"build": &f.Build, "vet": &f.Vet} {
		if res := results[name]; !res.ok() {
			*to = oneLine(res.stderr)
		}
	}
	f.Errors, f.Complaints = complaints(results["build"].stderr), complaints(results["vet"].stderr)
	if f.Packages, err = outcomes(results["test"].stdout); err != nil {
		return f, err
	}
	return f, r.repeat(ctx, m, scratch, f.Packages)
}

// repeat runs again the tests of the packages that failed, one package at a time, to
// distinguish tests that always fail from those that fail occasionally on a busy machine.
// If this takes too long, the first results are left as they are.
func (r goEnv) repeat(ctx context.Context, m module, scratch string, packages map[string]outcome) error {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		if o := packages[name]; !o.OK && len(o.Failed) > 0 {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return nil
	}
	argv := append([]string{"test"}, append(r.testFlags(), "-count=2", "-p=1")...)
	results, err := r.script(ctx, m, scratch, []step{{name: "again", argv: r.goCommand(append(argv, list...)...)}})
	if errors.Is(err, errTime) {
		return nil
	}
	if err != nil {
		return err
	}
	again, err := outcomes(results["again"].stdout)
	for _, name := range list {
		packages[name] = packages[name].steadied(again[name])
	}
	return err
}

// recall reads stored facts. The error is [fs.ErrNotExist] if there are no usable facts.
func recall[T any](name string) (stored T, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return stored, err
	}
	if err := json.Unmarshal(data, &stored); err != nil {
		return stored, errors.Join(fs.ErrNotExist, err)
	}
	return stored, nil
}

// store stores facts for the next change with the same base.
func store(name string, facts any) error {
	data, err := json.Marshal(facts)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return renameio.WriteFile(name, data, 0o600)
}

// factsFile returns the path of the file for a module's facts, or for a part of them. The
// name depends on everything on which the facts depend.
func (r goEnv) factsFile(m module, digest string, part ...string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "2 %q %q %q %q %q %v %q", part, digest, m.dir, r.lab.Toolchain.Version, r.workspace, r.lab.Cgo, r.lab.Sandbox.Name()))
	return filepath.Join(r.lab.Cache, "facts", fmt.Sprintf("%x.json", sum[:16]))
}

func (r goEnv) goCommand(args ...string) []string {
	return append([]string{r.lab.Toolchain.Command()}, args...)
}

// outcomes parses the output of go test -json, which it reads from the named file. The
// result is keyed by import path.
func outcomes(name string) (map[string]outcome, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	out := map[string]outcome{}
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadBytes('\n')
		if bytes.HasPrefix(line, []byte("{")) {
			var e struct{ Action, Package, Test string }
			if json.Unmarshal(line, &e) == nil && e.Package != "" {
				o := out[e.Package]
				o.add(e.Action, e.Test)
				out[e.Package] = o
			}
		}
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// add adds one event.
func (o *outcome) add(action, test string) {
	switch {
	case test == "" && (action == "pass" || action == "skip"):
		o.OK = true
	case test == "":
	case action == "pass":
		o.Passed = append(o.Passed, test)
	case action == "fail":
		o.Failed = append(o.Failed, test)
	case action == "skip":
		o.Skipped = append(o.Skipped, test)
	}
}

// steadied returns the outcome after tests ran again: a test that failed once and then
// passed counts as passed and unsteady.
func (o outcome) steadied(again outcome) outcome {
	o.OK = o.OK || again.OK
	o.Failed = slices.DeleteFunc(o.Failed, func(t string) bool {
		if !slices.Contains(again.Passed, t) {
			return false
		}
		o.Passed, o.Unsteady = append(o.Passed, t), append(o.Unsteady, t)
		return true
	})
	return o
}

// weak returns a pattern, in the form that the testing package accepts, for the top-level
// tests that prove nothing about a candidate because they fail, or have failed once, on the
// base. It returns "" if there are none. Tests in mended are left out, because the patch
// fixes them, unless they are unsteady.
func (o outcome) weak(mended ...string) string {
	var names []string
	add := func(test string, counts []string) {
		if top, _, _ := strings.Cut(test, "/"); !slices.Contains(names, top) && !slices.Contains(counts, top) {
			names = append(names, top)
		}
	}
	for _, t := range o.Failed {
		add(t, mended)
	}
	for _, t := range o.Unsteady {
		add(t, nil)
	}
	if len(names) == 0 {
		return ""
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// missing lists the tests that passed in the outcome o but not in the outcome now, except
// for unsteady tests. Each is listed with its result in now.
func (o outcome) missing(now outcome) []string {
	var out []string
	for _, t := range o.Passed {
		switch {
		case slices.Contains(now.Passed, t), slices.Contains(o.Unsteady, t):
		case slices.Contains(now.Failed, t):
			out = append(out, t+" failed")
		case slices.Contains(now.Skipped, t):
			out = append(out, t+" was skipped")
		default:
			out = append(out, t+" was not run")
		}
	}
	return out
}

// oneLine returns text from an outside source as a single line, shortened if it is too
// long.
func oneLine(s string) string {
	return text.Clip(strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " "), 600, text.Mark)
}
