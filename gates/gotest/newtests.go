package gotest

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"evolve/gates"
	"evolve/gates/syntax"
	"evolve/runtime/text"
)

// newTestsGate judges each test that a patch adds: the test must fail or not compile on the
// base, and pass on the candidate. These tests prove nothing about other code.
func (t *checker) newTestsGate(ctx context.Context) (gates.Verdict, string, error) {
	l := t.layout
	if len(l.fresh) == 0 {
		return gates.Passed, "the patch adds no tests", nil
	}
	f, err := t.freshTests(ctx)
	if err != nil {
		return "", "", err
	}
	if len(f.names) == 0 {
		return gates.Flagged, "the patch adds test files but no test: " + some(l.fresh), nil
	}
	var bad, idle []string
	for _, test := range slices.Sorted(maps.Keys(f.now)) {
		if f.now[test] != "passed" {
			bad = append(bad, test+" "+f.now[test])
		}
	}
	if len(bad) > 0 {
		return gates.Failed, "the patch's own tests do not pass with the patch applied: " + some(bad), nil
	}
	for _, test := range slices.Sorted(maps.Keys(f.before)) {
		if f.before[test] == "passed" || f.before[test] == "was skipped" {
			idle = append(idle, test+" "+f.before[test])
		}
	}
	evidence := fmt.Sprintf("%s added by the patch pass with it", text.Count(len(f.now), "test"))
	if len(idle) > 0 {
		return gates.Flagged, evidence + ", but these do not fail without the patch, so they prove nothing about it: " + some(idle), nil
	}
	return gates.Passed, evidence + ", and fail or do not compile without it", nil
}

// freshTests holds the names of the tests that a patch adds, by folder, and the results of
// these tests with the patch and without it, keyed by folder and name.
type freshTests struct {
	names       map[string][]string
	now, before map[string]string
}

// freshTests runs the patch's own tests on the candidate and, if all of them pass there, on
// the base.
func (t *checker) freshTests(ctx context.Context) (*freshTests, error) {
	return t.fresh.do(func() (f *freshTests, err error) {
		l := t.layout
		f = &freshTests{}
		if len(l.fresh) == 0 {
			return f, nil
		}
		here, there := l.env, l.env
		if here.tree, err = t.put(l, "new-candidate", append(slices.Clone(l.changed), l.fresh...)); err != nil {
			return nil, err
		}
		if there.tree, err = t.put(l, "new-base", l.fresh); err != nil {
			return nil, err
		}
		if f.names, err = l.freshNames(here.tree); err != nil || len(f.names) == 0 {
			return f, err
		}
		if f.now, err = t.outcomesOf(ctx, here, f.names); err != nil {
			return nil, err
		}
		for _, became := range f.now {
			if became != "passed" {
				return f, nil
			}
		}
		f.before, err = t.outcomesOf(ctx, there, f.names)
		return f, err
	})
}

// freshNames returns the top-level tests in the files that the patch adds, by folder.
func (l *layout) freshNames(root string) (map[string][]string, error) {
	out := map[string][]string{}
	for _, p := range l.fresh {
		if !strings.HasSuffix(p, "_test.go") || slices.Contains(strings.Split(p, "/"), "testdata") {
			continue
		}
		src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p)))
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), p, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parsing a new test: %w", err)
		}
		dir := filepath.ToSlash(filepath.Dir(p))
		for f := range syntax.Functions(file) {
			if kindOf(f) != notTest {
				out[dir] = append(out[dir], f.Name.Name)
			}
		}
	}
	return out, nil
}

// outcomesOf compiles and runs the packages of the named tests, and returns the outcome of
// each test.
func (t *checker) outcomesOf(ctx context.Context, r goEnv, names map[string][]string) (map[string]string, error) {
	s, err := scanImports(r.tree)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	var list []*pkg
	for _, dir := range slices.Sorted(maps.Keys(names)) {
		if p := s.folders[dir]; p != nil {
			list = append(list, p)
		}
		for _, n := range names[dir] {
			out[path.Join(dir, n)] = "did not compile"
		}
	}
	for _, m := range modulesOf(list) {
		own := ofModule(list, m)
		k, err := t.compileTests(ctx, r, m, "tests", own, nil)
		if err != nil {
			return nil, err
		}
		for _, p := range own {
			if k.binary(p) == "" {
				continue
			}
			h := runOptions{word: t.quiet, verbose: true}
			got, err := k.run(ctx, &t.nonces, p, h)
			if err != nil {
				return nil, err
			}
			for _, n := range names[p.dir] {
				out[path.Join(p.dir, n)] = k.marked[p.path].ended(n, got)
			}
		}
	}
	return out, nil
}

// ended returns the result of a top-level test. The result of an example is taken from
// the output of a verbose run.
func (s markedTests) ended(name string, r run) string {
	words := s.tests[name]
	if words.passed != "" {
		return words.result(r)
	}
	switch {
	case !r.words[words.begun]:
		return "was not run"
	case r.shown[name] == "PASS":
		return "passed"
	}
	return "failed"
}
