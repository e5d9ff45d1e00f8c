package gotest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"evolve/gates"
	"evolve/runtime/sandbox"
	"evolve/runtime/text"
)

// The names of the gates, in the order in which they run.
const (
	Build    = "build"
	Vet      = "vet"
	Affected = "affected"
	All      = "all"
	Canary   = "canary"
	Mutants  = "mutants"
	Coverage = "coverage"
	Rename   = "rename"
	Copied   = "copied"
	NewTests = "newtests"
	Race     = "race"
	Beside   = "beside"
)

// Names lists the names of the gates, in the order in which they run.
func Names() []string {
	return []string{Build, Vet, Affected, All, Canary, Mutants, Coverage, Rename, Copied, NewTests, Race, Beside}
}

// Gates returns the gates for a change. done removes their files from the lab's temporary
// folder and must be called after all gates have run.
func (l *Lab) Gates(c Change) (list []gates.Gate, done func() error, err error) {
	t := &checker{lab: l, limits: l.Limits.withDefaults(), change: c, nonces: nonces{from: l.Random}}
	for _, w := range []*string{&t.variable, &t.quiet, &t.loud, &t.all} {
		*w = t.nonces.word()
	}
	if t.nonces.err != nil {
		return nil, nil, fmt.Errorf("drawing random names: %w", t.nonces.err)
	}
	if t.dir, err = os.MkdirTemp(l.Temp, "evolve-gate-"); err != nil {
		return nil, nil, fmt.Errorf("creating a folder for the gates: %w", err)
	}
	gate := func(name string, check func(context.Context) (gates.Verdict, string, error), needs ...string) {
		list = append(list, gates.Gate{Name: name, Needs: needs, Check: func(ctx context.Context) (gates.Verdict, string) {
			return l.guarded(ctx, func(ctx context.Context) (gates.Verdict, string, error) {
				if err := t.prepare(ctx); err != nil {
					return "", "", err
				}
				return check(ctx)
			})
		}})
	}
	gate(Build, t.buildGate)
	gate(Vet, t.vetGate, Build)
	gate(Affected, t.affectedGate, Build)
	gate(All, t.allGate, Affected)
	gate(Canary, t.canaryGate, Affected)
	gate(Mutants, t.mutantsGate, Affected)
	gate(Coverage, t.coverageGate, Affected)
	gate(Rename, t.renameGate, Affected)
	gate(Copied, t.copiedGate, Build)
	gate(NewTests, t.newTestsGate, Build)
	gate(Race, t.raceGate, Affected)
	gate(Beside, t.besideGate, Affected)
	return list, func() error { return os.RemoveAll(t.dir) }, nil
}

// guarded runs a check if there is a sandbox, or if the operator accepts running without a
// sandbox.
func (l *Lab) guarded(ctx context.Context, check func(context.Context) (gates.Verdict, string, error)) (gates.Verdict, string) {
	without := l.Sandbox.Err()
	if without != nil && !l.Unwalled {
		return gates.NotRun, fmt.Sprintf("untrusted code runs only in a sandbox, and there is none: %v; %s, or set sandbox: none", without, sandbox.Remedy(without))
	}
	verdict, evidence, err := check(ctx)
	switch {
	case errors.Is(err, errTime):
		verdict, evidence = gates.Failed, "the Go commands were stopped: "+err.Error()
	case err != nil:
		verdict, evidence = gates.NotRun, "the gate could not be run: "+oneLine(err.Error())
	}
	if without != nil {
		evidence += "; run WITHOUT a sandbox, with all the user's rights (sandbox: none)"
	}
	return verdict, evidence
}

// buildGate compares the results of compiling the affected packages with those of the base.
func (t *checker) buildGate(ctx context.Context) (gates.Verdict, string, error) {
	l := t.layout
	if len(l.removed) > 0 {
		return gates.Failed, "no longer built: " + some(l.removed), nil
	}
	base := ""
	for m, results := range t.compiled.results {
		if res := results["build"]; res.ran && res.code != 0 {
			if t.known[m].Build != "" && len(newComplaints(res.stderr, t.known[m].Errors)) == 0 {
				return gates.NotRun, "the base does not compile either, so the patch cannot be judged: " + oneLine(res.stderr) + hint(res.stderr), nil
			}
			if in := l.needsC(); len(in) > 0 && !t.lab.Cgo && strings.Contains(res.stderr, excluded) {
				return gates.NotRun, "cgo is off, and without it there is nothing to build in " + some(in) + "; set cgo: true in the target's settings to build it", nil
			}
			return gates.Failed, "the patched code does not compile: " + oneLine(res.stderr), nil
		}
		if t.known[m].Build != "" {
			base = t.known[m].Build
		}
	}
	if evidence := l.idle(); evidence != "" && len(t.compiled.results) == 0 {
		return gates.Passed, evidence, nil
	}
	if len(t.compiled.results) == 0 && len(l.changed) > 0 {
		return gates.Flagged, "nothing is built or tested: the changed files are in no package of a Go module: " + some(l.changed), nil
	}
	evidence := fmt.Sprintf("%s in %s compiled by %s", text.Count(t.compiled.built, "package"), text.Count(len(t.compiled.results), "module"), t.lab.Toolchain.Version)
	if base != "" {
		evidence += "; elsewhere the base does not compile: " + base
	}
	return gates.Passed, evidence, nil
}

// vetGate fails or flags a patch that causes messages from go vet that do not occur for the
// base.
func (t *checker) vetGate(ctx context.Context) (gates.Verdict, string, error) {
	evidence, old := text.Count(t.compiled.vetted, "package")+" vetted", ""
	for m, results := range t.compiled.results {
		res := results["vet"]
		switch more := newComplaints(res.stderr, t.known[m].Complaints); {
		case !res.ran || res.code == 0:
		case t.known[m].Vet == "":
			return gates.Failed, "go vet reports problems with the patch, but none for the base: " + oneLine(res.stderr), nil
		case len(more) > 0:
			return gates.Flagged, "go vet reports problems that it does not report for the base: " + oneLine(strings.Join(more, "; ")), nil
		default:
			old = oneLine(res.stderr)
		}
	}
	if old != "" {
		evidence += "; go vet reports only problems that it also reports for the base: " + old
	}
	return gates.Passed, evidence, nil
}
