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
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
)

// facts are what the tests of a module do on the base, by which a candidate's are
// judged.
type facts struct {
	// Build and Vet say what is wrong on the base already; "" for nothing.
	Build string `json:"build,omitempty"`
	Vet   string `json:"vet,omitempty"`
	// Packages are the outcomes by import path, those without tests too.
	Packages map[string]outcome `json:"packages"`
}

// outcome is what became of one package's tests.
type outcome struct {
	// OK says that the package passed as a whole.
	OK bool `json:"ok"`
	// Passed, Failed and Skipped are tests and subtests.
	Passed  []string `json:"passed,omitempty"`
	Failed  []string `json:"failed,omitempty"`
	Skipped []string `json:"skipped,omitempty"`
}

// testFlags are those of every run of tests through the Go tool: the same on base and
// candidate, as otherwise no result would be remembered. Vetting has a gate of its own.
func (r room) testFlags() []string {
	return []string{"-json", "-vet=off", "-timeout", r.limits.Tests.String()}
}

// draw runs everything on a module of the base.
func (r room) draw(ctx context.Context, m module, stuff string) (facts, error) {
	var f facts
	results, err := r.script(ctx, m, stuff, []step{
		{name: "build", argv: r.goCommand("build", "-o", os.DevNull, "./...")},
		{name: "vet", argv: r.goCommand("vet", "./...")},
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
	f.Packages, err = outcomes(results["test"].stdout)
	return f, err
}

// recall reads facts; the error is [fs.ErrNotExist] when there are none to be used.
func recall(name string) (facts, error) {
	var f facts
	data, err := os.ReadFile(name)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return f, errors.Join(fs.ErrNotExist, err)
	}
	return f, nil
}

// keep writes facts for the next change of the same base.
func (f facts) keep(name string) error {
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return renameio.WriteFile(name, data, 0o600)
}

// factsFile is where the facts of a module are kept, by everything they depend on.
func (r room) factsFile(m module, digest string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %v %q", digest, m.dir, r.lab.Toolchain.Version, r.workspace, r.lab.Cgo, r.lab.Walls.Name()))
	return filepath.Join(r.lab.Cache, "facts", fmt.Sprintf("%x.json", sum[:16]))
}

func (r room) goCommand(args ...string) []string {
	return append([]string{r.lab.Toolchain.command()}, args...)
}

// outcomes reads what go test -json wrote.
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

// add takes in one event.
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

// missing lists the tests that passed in o and did not in now, with what became of
// them.
func (o outcome) missing(now outcome) []string {
	var out []string
	for _, t := range o.Passed {
		switch {
		case slices.Contains(now.Passed, t):
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

// oneLine is foreign text for a person, shortened and on one line.
func oneLine(text string) string {
	const most = 600
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + " …"
	}
	return text
}
