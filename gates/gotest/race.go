package gotest

import (
	"context"
	"fmt"
	"go/ast"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"evolve/gates"
	"evolve/gates/syntax"
	"evolve/runtime/text"
)

// racePatience is the wall-time limit of one run of a package's tests under the race
// detector.
const racePatience = 2 * time.Minute

// raceGate runs the base's tests of the changed packages under the race detector, if the
// code of these packages can run concurrently. It flags a problem that does not occur on
// the base. It also flags the patch if this machine has no race detector.
func (t *checker) raceGate(ctx context.Context) (gates.Verdict, string, error) {
	l := t.layout
	mended, err := t.mendedTests(ctx)
	if err != nil {
		return "", "", err
	}
	var list []*pkg
	for _, p := range l.direct {
		if len(t.known[p.module.dir].Packages[p.path].Passed)+len(mended[p]) == 0 {
			continue
		}
		was, is, err := l.sources(p)
		if err != nil {
			return "", "", err
		}
		if was.concurrent() || is.concurrent() {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return gates.Passed, "no touched package with tests starts goroutines or uses locks", nil
	}
	if why := t.lab.raceless(); why != "" {
		return gates.Flagged, "the tests were not run under the race detector: " + why, nil
	}
	var bad, old []string
	for _, m := range modulesOf(list) {
		own := ofModule(list, m)
		there, here, err := t.raceBinaries(ctx, m, own)
		if err != nil {
			return "", "", err
		}
		for _, p := range own {
			problem, err := t.race(ctx, here, p, mended[p])
			if err != nil {
				return "", "", err
			}
			if problem == "" {
				continue
			}
			before := ""
			if was := l.was.packages[p.path]; was != nil && there != nil {
				if before, err = t.race(ctx, there, was, nil); err != nil {
					return "", "", err
				}
			}
			if before != "" {
				old = append(old, p.path)
			} else {
				bad = append(bad, p.path+": "+problem)
			}
		}
	}
	if len(bad) > 0 {
		return gates.Flagged, "problems under the race detector that the base does not have: " + some(bad), nil
	}
	evidence := fmt.Sprintf("the tests of %s pass under the race detector", text.Count(len(list), "touched package"))
	if len(old) > 0 {
		evidence += ", or fail on the base too: " + some(old)
	}
	return gates.Passed, evidence, nil
}

// mendedTests returns the tests in each affected package that fail on the base and pass
// with the patch.
func (t *checker) mendedTests(ctx context.Context) (map[*pkg][]string, error) {
	list, err := t.test(ctx)
	out := map[*pkg][]string{}
	for _, x := range list {
		out[x.pkg] = x.mended
	}
	return out, err
}

// concurrent reports whether the code in a folder uses goroutines or locks.
func (s source) concurrent() bool {
	for _, f := range s.files {
		for _, i := range f.Imports {
			switch strings.Trim(i.Path.Value, "`\"") {
			case "sync", "sync/atomic", "golang.org/x/sync/errgroup":
				return true
			}
		}
		if syntax.Contains(f, func(n ast.Node) bool { _, starts := n.(*ast.GoStmt); return starts }) {
			return true
		}
	}
	return false
}

// raceless returns the reason why this machine has no race detector; "" if it has one.
func (l *Lab) raceless() string {
	if found, err := filepath.Glob(filepath.Join(l.Toolchain.Root, "src", "runtime", "race", "internal", "*", "*.syso")); err != nil || len(found) == 0 {
		return "the installed Go has no race detector for this system"
	}
	for _, name := range []string{"gcc", "clang"} {
		if _, err := exec.LookPath(name); err == nil {
			return ""
		}
	}
	return "it needs a C compiler (gcc or clang), and there is none"
}

// raceBinaries compiles the tests of packages with the race detector, both on the base
// (there) and on the candidate (here). The former fills the cache for later changes.
func (t *checker) raceBinaries(ctx context.Context, m module, packages []*pkg) (there, here *testBinaries, err error) {
	lab := *t.lab
	lab.Cgo = true // the C compiler links the detector
	base, candidate := t.layout.baseEnv, t.layout.env
	base.lab, candidate.lab = &lab, &lab
	base.race, candidate.race = true, true
	if t.lab.layered() {
		base = base.keeping()
	}
	if were := t.layout.were(packages); len(were) > 0 {
		if there, err = t.compileTests(ctx, base, m, "race", were, nil); err != nil {
			return nil, nil, err
		}
	}
	here, err = t.compileTests(ctx, candidate, m, "race", packages, nil)
	return there, here, err
}

// racing matches the positions that the detector reports.
var racing = regexp.MustCompile(`(?m)^\s+(\S+\.go:[0-9]+)`)

// race runs the tests of a package once under the detector and returns the problem; "" if
// there is none. It skips tests that fail on the base without the detector, except those
// that the patch fixes.
func (t *checker) race(ctx context.Context, k *testBinaries, p *pkg, mended []string) (string, error) {
	if k.binary(p) == "" {
		return "its tests do not compile with the race detector", nil
	}
	weak := t.known[p.module.dir].Packages[p.path].weak(mended...)
	r, err := k.run(ctx, &t.nonces, p, runOptions{word: t.quiet, skip: weak, patience: racePatience})
	switch {
	case err != nil:
		return "", err
	case r.race != "":
		return "a data race: " + r.race, nil
	case r.late || !r.clean():
		return "the process " + r.ended() + r.tail, nil
	}
	return "", nil
}

// raced returns the positions in the tree of the accesses in the first reported race: at
// most two positions, on one line. It returns "" if there was no race.
func raced(printed, tree string) string {
	_, report, found := strings.Cut(printed, "WARNING: DATA RACE")
	if !found {
		return ""
	}
	report, _, _ = strings.Cut(report, "==================")
	var places []string
	for _, m := range racing.FindAllStringSubmatch(report, -1) {
		at, ours := strings.CutPrefix(m[1], tree+"/")
		if ours && !slices.Contains(places, at) && !strings.Contains(path.Base(at), "_test.go") && len(places) < 2 {
			places = append(places, at)
		}
	}
	if len(places) == 0 {
		return "all its locations are in tests or outside the code"
	}
	return strings.Join(places, " and ")
}
