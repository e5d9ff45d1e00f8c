package gotest

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"evolve/gates"
	"evolve/runtime/text"
)

// allGate runs the tests of the unaffected packages. These tests run only code from the
// base, so the Go tool's results are trusted, even if they are cached. Only files of the
// patch that are not code can change the results.
func (t *checker) allGate(ctx context.Context) (gates.Verdict, string, error) {
	l := t.layout
	packages, tests := 0, 0
	var blamed, excused []string
	for _, m := range l.touched() {
		var rest []*pkg
		for _, name := range slices.Sorted(maps.Keys(t.known[m.dir].Packages)) {
			p := l.is.packages[name]
			if n := len(t.known[m.dir].Packages[name].Passed); n > 0 && p != nil && !slices.Contains(l.affected, p) {
				rest = append(rest, p)
				tests += n
			}
		}
		packages += len(rest)
		bad, err := t.unaffected(ctx, l.env, m, rest, t.known[m.dir])
		if err != nil {
			return "", "", err
		}
		if len(bad) == 0 {
			continue
		}
		there, err := t.unaffected(ctx, l.baseEnv, m, bad, t.known[m.dir], "-count=1")
		if err != nil {
			return "", "", err
		}
		for _, p := range bad {
			if slices.Contains(there, p) {
				excused = append(excused, p.path)
			} else {
				blamed = append(blamed, p.path)
			}
		}
	}
	switch {
	case len(blamed) > 0:
		return gates.Failed, "tests of packages that do not import the patched code pass on the base but fail with the patch: " + some(blamed), nil
	case len(excused) > 0:
		return gates.Flagged, "tests of packages that do not import the patched code are flaky on the base: " + some(excused), nil
	}
	if packages == 0 {
		return gates.Passed, "no other package has tests that pass on the base", nil
	}
	return gates.Passed, fmt.Sprintf("%s of %s that do not import the patched code %s as on the base", text.Count(tests, "test"), text.Count(packages, "other package"), pass(tests)), nil
}

// unaffected returns those packages in list in which a test passed on the base but does
// not pass now.
func (t *checker) unaffected(ctx context.Context, r goEnv, m module, list []*pkg, known facts, more ...string) ([]*pkg, error) {
	if len(list) == 0 {
		return nil, nil
	}
	scratch, err := t.folder("all")
	if err != nil {
		return nil, err
	}
	argv := append([]string{"test"}, append(r.testFlags(), more...)...)
	results, err := r.script(ctx, m, scratch, []step{{name: "test", argv: r.goCommand(append(argv, args(list)...)...)}})
	if err != nil {
		return nil, err
	}
	now, err := outcomes(results["test"].stdout)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(list), func(p *pkg) bool {
		return len(known.Packages[p.path].missing(now[p.path])) == 0
	}), nil
}
