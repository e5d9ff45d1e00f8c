package gotest

import (
	"context"
	"fmt"
	"slices"

	"evolve/gates"
	"evolve/runtime/sandbox"
	"evolve/runtime/text"
)

// inDisguise runs the tests of all affected packages again under a name that is not that of
// a test binary, from another folder, without flags, and with an added test that must fail.
func (t *checker) inDisguise(ctx context.Context) ([]testResult, error) {
	return t.disguise.do(func() ([]testResult, error) {
		list, err := t.test(ctx)
		if err != nil {
			return nil, err
		}
		list = slices.Clone(list)
		h := runOptions{word: t.loud, disguised: true}
		err = t.each(ctx, len(list), func(ctx context.Context, m *nonces, i int) error {
			x := &list[i]
			*x = testResult{pkg: x.pkg, tests: x.tests, base: x.base}
			r, err := x.tests.run(ctx, m, x.pkg, h)
			if err != nil {
				return err
			}
			s := x.tests.marked[x.pkg.path]
			x.canary = s.canaryProblem(r)
			if x.canary == "" {
				x.wrong = s.judge(x.base, r, h, true)
			}
			return nil
		})
		if err == nil {
			err = t.excuse(ctx, list, h)
		}
		for i := range list {
			if err == nil {
				err = t.inPlace(ctx, &list[i], h)
			}
		}
		return list, err
	})
}

// inPlace runs a package's tests again under another name, but in their own folder. It
// does so only for tests that also fail in another folder on the base, because such tests
// depend on the folder in which they were compiled.
func (t *checker) inPlace(ctx context.Context, x *testResult, h runOptions) error {
	if x.excuse != onBase {
		return nil
	}
	h.placed = true
	wrong, err := t.try(ctx, &t.nonces, x.tests, x.pkg, x.base, h)
	if err == nil && len(wrong) == 0 {
		x.wrong, x.excuse = nil, ""
	}
	return err
}

// canaryProblem describes the fault in the result of a run in which the canary should
// have failed.
func (s markedTests) canaryProblem(r run) string {
	switch became := s.tests[s.canary].result(r); {
	case became != "failed":
		return fmt.Sprintf("a test that had to fail %s, and the process %s", became, r.ended())
	case !r.late && !r.flooded && r.exit.Reason == sandbox.Own && r.exit.Code == 0:
		return "a test failed, and the process ended with exit code 0"
	}
	return ""
}

// canaryGate fails if in any package a canary test that must fail is not reported as
// failed.
func (t *checker) canaryGate(ctx context.Context) (gates.Verdict, string, error) {
	l := t.layout
	list, err := t.inDisguise(ctx)
	if err != nil {
		return "", "", err
	}
	var bad, open []string
	for _, x := range list {
		if x.canary != "" {
			bad = append(bad, x.pkg.path+": "+x.canary)
		}
		if by := l.is.embeds(x.pkg); by != "" {
			open = append(open, by)
		}
	}
	switch {
	case len(bad) > 0:
		return gates.Failed, "a failing test is not reported as a failure: " + some(bad), nil
	case len(list) == 0 && l.idle() != "":
		return gates.Passed, l.idle(), nil
	case len(list) == 0:
		return gates.Flagged, "there are no tests to which a failing one can be added", nil
	case len(open) > 0:
		return gates.Flagged, "the code embeds its compiled tests and can read the random words with which the tests report their results: " + some(open), nil
	}
	return gates.Passed, "a randomly named test that had to fail did fail and was reported; tried in " + text.Count(len(list), "package"), nil
}

// renameGate fails if tests end differently under another binary name.
func (t *checker) renameGate(ctx context.Context) (gates.Verdict, string, error) {
	l := t.layout
	list, err := t.inDisguise(ctx)
	if err != nil {
		return "", "", err
	}
	verdict, evidence := judgement(list)
	switch {
	case verdict != gates.Passed:
		return verdict, "run again under a different program name: " + evidence, nil
	case len(list) == 0 && l.idle() != "":
		return gates.Passed, l.idle(), nil
	case len(list) == 0:
		return gates.Flagged, "there are no tests to run again", nil
	}
	return gates.Passed, fmt.Sprintf("the tests of %s end the same way when run again under a different program name, from a different folder and without flags", text.Count(len(list), "package")), nil
}
