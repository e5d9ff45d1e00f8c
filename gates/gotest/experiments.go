package gotest

import (
	"context"
	"slices"
	"time"
)

// experiments holds the results of running the tests on instrumented and mutated code.
type experiments struct {
	// reached holds the words reported by changed code.
	reached map[string]bool
	// noticed maps the word of each mutant that a test noticed to the package of that
	// test.
	noticed map[string]string
	// bound holds the words of mutants beyond the limit. These mutants were not tried.
	bound map[string]bool
	// decides contains the conditions on which a test depends: the test fails if such a
	// condition is forced to true or to false. untried contains the conditions for which
	// no time was left. The key of a condition is the word in its field never.
	decides, untried map[string]bool
	// restless lists the packages whose process fails with all mutants active although no
	// test but the canary runs. Changed code then runs outside of tests, so mutants prove
	// nothing.
	restless []string
	// unbuilt lists the packages whose tests do not compile with the instrumented code.
	unbuilt []string
}

// mutantRun describes a package whose tests may be run on the instrumented code. Tests that
// fail or are unsteady on the base are skipped, so code that only they reach does not count
// as tested. Tests that the patch fixes are run.
type mutantRun struct {
	pkg   *pkg
	tests *testBinaries
	weak  string
	quiet run
	took  time.Duration // the quiet run
}

// experiment runs the tests of the changed packages on the instrumented code. It also
// runs the tests of the packages that depend on them if some statements have not been
// reached, some mutants have not been noticed, or some conditions have not been decisive.
func (t *checker) experiment(ctx context.Context) (*experiments, error) {
	return t.broken.do(func() (*experiments, error) {
		e := &experiments{reached: map[string]bool{}, noticed: map[string]string{}, bound: map[string]bool{}, decides: map[string]bool{}, untried: map[string]bool{}}
		c := t.compiled
		if len(c.probed.mutants) == 0 {
			return e, nil
		}
		list, err := t.test(ctx)
		if err != nil {
			return nil, err
		}
		l := t.layout
		var near, far []*pkg
		weak := map[*pkg]string{}
		for _, x := range list {
			weak[x.pkg] = x.base.weak(x.mended...)
			if slices.Contains(l.direct, x.pkg) {
				near = append(near, x.pkg)
			} else {
				far = append(far, x.pkg)
			}
		}
		for _, packages := range [][]*pkg{near, far} {
			if len(packages) == 0 || e.settled(c.probed) {
				continue
			}
			binaries, err := t.instrumentedTests(ctx, packages)
			if err != nil {
				return nil, err
			}
			if err := e.round(ctx, t, c, binaries, packages, weak); err != nil {
				return nil, err
			}
		}
		return e, nil
	})
}

// instrumentedTests compiles the tests of packages with the instrumented code.
func (t *checker) instrumentedTests(ctx context.Context, packages []*pkg) (out map[string]*testBinaries, err error) {
	out = map[string]*testBinaries{}
	for _, m := range modulesOf(packages) {
		own := ofModule(packages, m)
		if out[m.dir], err = t.compileTests(ctx, t.layout.env, m, "probing", own, t.compiled.probed.files); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// settled reports whether every probe was reached, every mutant that can be tried was
// noticed, and every condition that is forced decides the result of a test.
func (e *experiments) settled(p *instrumentedCode) bool {
	for _, x := range p.probes {
		if !e.reached[x.word] {
			return false
		}
	}
	for _, x := range p.mutants {
		if e.noticed[x.word] == "" && !e.bound[x.word] {
			return false
		}
	}
	for _, x := range p.forced {
		if !e.decides[x.never] {
			return false
		}
	}
	return true
}

// round runs the tests of packages once without any mutant, then only the canary with every
// mutant active, and then the tests once for each mutant that they reach. weak holds, for
// each package, a pattern that matches the tests to skip.
func (e *experiments) round(ctx context.Context, t *checker, c *compiled, binaries map[string]*testBinaries, packages []*pkg, weak map[*pkg]string) error {
	runs := make([]mutantRun, len(packages))
	steady := make([]bool, len(packages))
	err := t.each(ctx, len(packages), func(ctx context.Context, m *nonces, i int) error {
		p := packages[i]
		k := binaries[p.module.dir]
		runs[i] = mutantRun{pkg: p, tests: k, weak: weak[p]}
		if k.binary(p) == "" {
			return nil
		}
		var err error
		begun := t.lab.Now()
		defer func() { runs[i].took = t.lab.Now().Sub(begun) }()
		if runs[i].quiet, err = k.run(ctx, m, p, runOptions{word: t.quiet, skip: runs[i].weak}); err != nil {
			return err
		}
		s := k.marked[p.path]
		r, err := k.run(ctx, m, p, runOptions{word: t.all, only: s.canary})
		steady[i] = s.tests[s.canary].result(r) == "passed" && r.clean()
		return err
	})
	if err != nil {
		return err
	}
	for i, r := range runs {
		for w := range r.quiet.words {
			e.reached[w] = true
		}
		switch {
		case r.tests.binary(r.pkg) == "":
			e.unbuilt = append(e.unbuilt, r.pkg.path)
		case !steady[i]:
			e.restless = append(e.restless, r.pkg.path)
		}
	}
	noticed := make([]string, len(c.probed.mutants))
	err = t.each(ctx, len(c.probed.mutants), func(ctx context.Context, m *nonces, i int) error {
		x := c.probed.mutants[i]
		if i >= t.limits.Mutants || e.noticed[x.word] != "" {
			return nil
		}
		for j, r := range runs {
			if !steady[j] || !r.quiet.words[x.reached] {
				continue
			}
			got, err := r.tests.run(ctx, m, r.pkg, runOptions{word: x.word, skip: r.weak, first: true})
			if err != nil {
				return err
			}
			if r.tests.marked[r.pkg.path].notices(r.quiet, got) {
				noticed[i] = r.pkg.path
				return nil
			}
		}
		return nil
	})
	for i, x := range c.probed.mutants {
		e.bound[x.word] = i >= t.limits.Mutants
		if noticed[i] != "" {
			e.noticed[x.word] = noticed[i]
		}
	}
	if err != nil {
		return err
	}
	return e.force(ctx, t, c, runs, steady)
}

// force forces each condition to true and to false until a test fails for one of the two
// values. It skips a value that the condition always has without being forced, and the
// value true for the condition of a loop, which might then never end. It starts no further
// run once the time limit for one run of tests has passed.
func (e *experiments) force(ctx context.Context, t *checker, c *compiled, runs []mutantRun, steady []bool) error {
	list := slices.DeleteFunc(slices.Clone(c.probed.forced), func(x forcedCondition) bool { return e.decides[x.never] })
	noticed, untried := make([]bool, len(list)), make([]bool, len(list))
	begun := t.lab.Now()
	err := t.each(ctx, len(list), func(ctx context.Context, m *nonces, i int) error {
		x := list[i]
		for j, r := range runs {
			if !steady[j] {
				continue
			}
			for _, way := range []struct {
				word, seen string
				endless    bool
			}{{x.never, x.seenTrue, false}, {x.always, x.seenFalse, x.loop}} {
				if !r.quiet.words[way.seen] || way.endless {
					continue
				}
				if untried[i] = t.lab.Now().Sub(begun) > t.limits.Tests; untried[i] {
					return nil
				}
				got, err := r.tests.run(ctx, m, r.pkg, runOptions{word: way.word, skip: r.weak, first: true, patience: r.patience()})
				if err != nil {
					return err
				}
				if noticed[i] = r.tests.marked[r.pkg.path].notices(r.quiet, got); noticed[i] {
					return nil
				}
			}
		}
		return nil
	})
	for i, x := range list {
		e.decides[x.never], e.untried[x.never] = noticed[i], untried[i]
	}
	return err
}

// patience returns the time limit for tests with a forced condition, which may make them
// loop forever. The limit is much longer than the tests usually take.
func (r mutantRun) patience() time.Duration { return 5*time.Second + 5*r.took }

// notices reports whether a test that passes on the original code was started on the mutant
// and did not pass.
func (s markedTests) notices(quiet, broken run) bool {
	if broken.clean() {
		return false
	}
	for _, words := range s.tests {
		if words.passed == "" || words.result(quiet) != "passed" {
			continue
		}
		if was := words.result(broken); was == "failed" || was == "did not finish" {
			return true
		}
	}
	return false
}
