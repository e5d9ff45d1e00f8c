package gotest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"evolve/gates"
	"evolve/runtime/text"
)

// onBase is the excuse for a failure that also occurs on the base.
const onBase = "happens on the base too"

// testResult is the result of the tests of one affected package.
type testResult struct {
	pkg   *pkg
	tests *testBinaries
	base  outcome
	// wrong lists the problems in the run.
	wrong []string
	// excuse is the reason why the problems are not attributed to the patch.
	excuse string
	// mended are the tests that fail on the base and pass here.
	mended []string
	// canary describes the fault in the result of the test that had to fail in a disguised
	// run; "" if nothing is wrong.
	canary string
}

// test runs the base's tests of all affected packages on the candidate's code.
func (t *checker) test(ctx context.Context) ([]testResult, error) {
	return t.tested.do(func() ([]testResult, error) {
		l := t.layout
		var list []testResult
		for _, p := range l.affected {
			if o := t.known[p.module.dir].Packages[p.path]; len(o.Passed) > 0 {
				list = append(list, testResult{pkg: p, tests: t.compiled.tests[p.module.dir], base: o})
			}
		}
		verbose := runOptions{word: t.quiet, verbose: true}
		err := t.each(ctx, len(list), func(ctx context.Context, m *nonces, i int) error {
			x := &list[i]
			if x.tests.binary(x.pkg) == "" {
				x.wrong = []string{"its tests do not compile: " + oneLine(x.tests.output(x.pkg, t.compiled.results[x.pkg.module.dir]).stderr)}
				return nil
			}
			r, err := x.tests.run(ctx, m, x.pkg, verbose)
			if err != nil {
				return err
			}
			s := x.tests.marked[x.pkg.path]
			x.wrong, x.mended = s.judge(x.base, r, verbose, false), s.mended(x.base, r)
			return nil
		})
		if err != nil {
			return nil, err
		}
		return list, t.excuse(ctx, list, verbose)
	})
}

// try runs the tests of one package and lists the problems.
func (t *checker) try(ctx context.Context, m *nonces, k *testBinaries, p *pkg, base outcome, h runOptions) ([]string, error) {
	r, err := k.run(ctx, m, p, h)
	if err != nil {
		return nil, err
	}
	return k.marked[p.path].judge(base, r, h, h.word == t.loud), nil
}

// mended lists the top-level tests that fail on the base, even when run again, and passed
// in a run.
func (s markedTests) mended(base outcome, r run) []string {
	var out []string
	for _, test := range base.Failed {
		if words, known := s.tests[test]; known && words.passed != "" && words.result(r) == "passed" {
			out = append(out, test)
		}
	}
	return out
}

// each calls the function do once for each number from 0 to n-1, several at a time, and
// gives each call its own source of names.
func (t *checker) each(ctx context.Context, n int, do func(ctx context.Context, m *nonces, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(t.limits.Parallel)
	for i := range n {
		m := t.nonces.branch()
		if t.nonces.err != nil {
			return errors.Join(t.nonces.err, group.Wait())
		}
		group.Go(func() error { return do(ctx, m, i) })
	}
	return group.Wait()
}

// excuse runs failed tests again before their failure is attributed to the patch: one
// package at a time and in the same way, first on the candidate, then on the base.
func (t *checker) excuse(ctx context.Context, list []testResult, h runOptions) error {
	var packages []*pkg
	for i := range list {
		x := &list[i]
		if len(x.wrong) == 0 {
			continue
		}
		if err := t.repeat(ctx, x, h); err != nil {
			return err
		}
		if len(x.wrong) > 0 && x.excuse == "" {
			packages = append(packages, x.pkg)
		}
	}
	for _, m := range modulesOf(packages) {
		k, err := t.compileTests(ctx, t.layout.baseEnv, m, "tests", t.layout.were(ofModule(packages, m)), nil)
		if err != nil {
			return err
		}
		for i := range list {
			x := &list[i]
			if x.pkg.module != m || !slices.Contains(packages, x.pkg) || k.binary(x.pkg) == "" {
				continue
			}
			for range repeats(x.wrong) {
				wrong, err := t.try(ctx, &t.nonces, k, x.pkg, x.base, h)
				if err != nil {
					return err
				}
				if sameTests(x.wrong, wrong) {
					x.excuse = onBase
					break
				}
			}
		}
	}
	return nil
}

// repeat runs the tests of a package again. If only tests that are unsteady on the base
// failed, their failures are dropped when the tests pass now, and excused otherwise.
// Other failures are excused if the tests pass now. Excused failures are flagged.
func (t *checker) repeat(ctx context.Context, x *testResult, h runOptions) error {
	unsteady := sameTests(x.wrong, x.base.Unsteady)
	if unsteady {
		x.excuse = "is flaky on the base"
	}
	if x.tests.binary(x.pkg) == "" {
		return nil
	}
	for range repeats(x.wrong) {
		again, err := t.try(ctx, &t.nonces, x.tests, x.pkg, x.base, h)
		switch {
		case err != nil:
			return err
		case len(again) > 0:
		case unsteady:
			x.wrong, x.excuse = nil, ""
			return nil
		default:
			x.excuse = "passed when run again"
			return nil
		}
	}
	return nil
}

// repeats returns how many times failed tests are run again. The number is smaller after a
// timeout, because waiting for another would take too long.
func repeats(wrong []string) int {
	late := "the process " + run{late: true}.ended()
	if slices.ContainsFunc(wrong, func(w string) bool { return strings.HasPrefix(w, late) }) {
		return 1
	}
	return 2
}

// sameTests reports whether every test that failed in one run also failed in another.
func sameTests(now, there []string) bool {
	names := func(list []string) map[string]bool {
		out := map[string]bool{}
		for _, w := range list {
			if name, _, _ := strings.Cut(w, " "); name != "the" {
				out[name] = true
			}
		}
		return out
	}
	have := names(there)
	for n := range names(now) {
		if !have[n] {
			return false
		}
	}
	return len(there) > 0
}

// affectedGate judges the tests of the affected packages.
func (t *checker) affectedGate(ctx context.Context) (gates.Verdict, string, error) {
	l := t.layout
	list, err := t.test(ctx)
	if err != nil {
		return "", "", err
	}
	if evidence := l.idle(); evidence != "" && len(list) == 0 {
		return gates.Passed, evidence, nil
	}
	if len(list) == 0 {
		return gates.Flagged, fmt.Sprintf("no test of the base covers the %s that the patch affects", text.Count(len(l.affected), "package")), nil
	}
	tests := 0
	var failing []string
	for _, x := range list {
		tests += len(x.base.Passed)
		if !x.base.OK {
			failing = append(failing, x.pkg.path+": "+some(x.base.Failed))
		}
	}
	verdict, evidence := judgement(list)
	if verdict != gates.Passed {
		return verdict, evidence, nil
	}
	evidence = fmt.Sprintf("%s of the base in %s %s with the patch, as without it, including subtests (%s affected)", text.Count(tests, "test"), text.Count(len(list), "package"), pass(tests), text.Count(len(l.affected), "package"))
	if len(failing) > 0 {
		evidence += "; others fail on the base and are ignored: " + some(failing)
	}
	return gates.Passed, evidence, nil
}

// judgement combines the results of packages into one verdict: failed if any package has
// problems without an excuse, otherwise flagged if any has problems, and otherwise passed.
func judgement(list []testResult) (gates.Verdict, string) {
	var blamed, excused []string
	for _, x := range list {
		evidence := x.pkg.path + ": " + some(x.wrong)
		switch {
		case len(x.wrong) == 0:
		case x.excuse == "":
			blamed = append(blamed, evidence)
		default:
			excused = append(excused, evidence+", which "+x.excuse)
		}
	}
	switch {
	case len(blamed) > 0:
		return gates.Failed, "passes on the base but fails with the patch: " + some(blamed)
	case len(excused) > 0:
		return gates.Flagged, some(excused)
	}
	return gates.Passed, ""
}
