package gotest

import (
	"context"
	"errors"
	"fmt"
	"go/build"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"evolve/gates"
	"evolve/gates/beside"
	"evolve/runtime/sandbox"
	"evolve/runtime/text"
)

// besideGate calls the changed functions of both versions with the same random inputs. A
// difference is flagged for a person, unless the function is covered by a test that fails
// without the patch and passes with it: in that case the difference is intended, and is
// only shown.
func (t *checker) besideGate(ctx context.Context) (gates.Verdict, string, error) {
	if !t.lab.sandboxed() {
		return gates.Flagged, "nothing was compared: functions are called with random inputs, such as file paths, only in a sandbox", nil
	}
	l := t.layout
	v := besideVerdict{claim: t.change.Claim}
	left := t.limits.Beside
	for _, p := range l.direct {
		was := l.was.packages[p.path]
		if was == nil || l.is.packages[p.path] != p {
			continue
		}
		plan, err := t.besidePlan(ctx, p)
		if err != nil {
			return "", "", err
		}
		if len(plan.Functions) == 0 {
			v.add(plan, beside.Outcome{Left: plan.Left}, nil)
			continue
		}
		counts, err := t.reaching(p, plan)
		if err != nil {
			return "", "", err
		}
		binaries, problem, err := t.besideBuild(ctx, p, plan, &counts)
		if err != nil {
			return "", "", err
		}
		if problem != "" {
			v.unbuilt = append(v.unbuilt, p.path+": "+problem)
			continue
		}
		out, err := plan.Compare(ctx, t.besideRunner(p, binaries, &left))
		if err != nil {
			return "", "", err
		}
		explain, err := t.explanations(ctx, plan, out)
		if err != nil {
			return "", "", err
		}
		v.add(plan, out, explain)
		if counts != nil {
			never, reached, failing := counts.missed(out)
			v.reached, v.failing = v.reached+reached, v.failing+failing
			for _, s := range never {
				v.missed = append(v.missed, s.String())
			}
			unlooked, err := t.unlooked(ctx, never)
			if err != nil {
				return "", "", err
			}
			v.unlooked = append(v.unlooked, unlooked...)
		}
	}
	v.json = slices.ContainsFunc(l.affected, func(p *pkg) bool { return slices.Contains(p.imports, "encoding/json") })
	verdict, evidence := v.verdict()
	return verdict, evidence, nil
}

// besidePlan returns the plan for comparing a package.
func (t *checker) besidePlan(ctx context.Context, p *pkg) (*beside.Plan, error) {
	in := beside.Package{Dir: p.dir, Path: p.path}
	var err error
	if in.Harness, err = t.harness(ctx, p.module); err != nil {
		return nil, err
	}
	if in.Base, err = t.built(t.layout.base.root, p.dir); err != nil {
		return nil, err
	}
	if in.Candidate, err = t.built(t.layout.env.tree, p.dir); err != nil {
		return nil, err
	}
	for _, name := range p.tests {
		text, err := os.ReadFile(filepath.Join(t.layout.env.tree, filepath.FromSlash(p.dir), name))
		if err != nil {
			return nil, err
		}
		in.Tests = append(in.Tests, text)
	}
	corpora, err := filepath.Glob(filepath.Join(t.layout.base.root, filepath.FromSlash(p.dir), "testdata", "fuzz", "*", "*"))
	if err != nil {
		return nil, err
	}
	const most = 50
	for _, name := range corpora[:min(len(corpora), most)] {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		in.Corpora = append(in.Corpora, text)
	}
	words := beside.Words{Variable: t.nonces.word(), Test: t.nonces.word(), Key: t.nonces.word()}
	if t.nonces.err != nil {
		return nil, t.nonces.err
	}
	return beside.NewPlan(in, words), nil
}

// built returns the files in a folder that are compiled on this system, keyed by path.
func (t *checker) built(root, dir string) (map[string][]byte, error) {
	system := build.Default
	system.CgoEnabled = t.lab.Cgo
	found, err := system.ImportDir(filepath.Join(root, filepath.FromSlash(dir)), 0)
	var none *build.NoGoError
	if errors.As(err, &none) {
		return nil, nil
	}
	out := map[string][]byte{}
	for _, name := range slices.Concat(found.GoFiles, found.CgoFiles) { // the build reports other errors
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(dir), name))
		if err != nil {
			return nil, err
		}
		out[path.Join(dir, name)] = text
	}
	return out, nil
}

// besideBuild compiles the calls to both versions in one sandbox. The base's tree is the
// candidate's tree with the base's versions of the changed files laid over it. problem is
// the reason why the calls do not compile, or "" if they do.
func (t *checker) besideBuild(ctx context.Context, p *pkg, plan *beside.Plan, counts **reachCounters) (binaries map[beside.Side]string, problem string, err error) {
	for range 4 { // lines that do not compile are dropped before the next attempt
		scratch, err := t.folder("beside")
		if err != nil {
			return nil, "", err
		}
		steps, err := t.besideSteps(p, plan, *counts, scratch)
		if err != nil {
			return nil, "", err
		}
		results, err := t.layout.env.script(ctx, p.module, scratch, steps)
		if err != nil {
			return nil, "", err
		}
		problem = ""
		for _, s := range steps {
			if r := results[s.name]; !r.ok() {
				problem = r.stderr
			}
		}
		if problem == "" {
			return map[beside.Side]string{beside.Base: filepath.Join(scratch, "base.bin"), beside.Candidate: filepath.Join(scratch, "candidate.bin")}, "", nil
		}
		if len(plan.Functions) == 0 {
			break
		}
		switch {
		case plan.Drop(problem):
		case *counts != nil: // the code may compile without the counters
			*counts, plan.Reached = nil, ""
		default:
			return nil, "the calls that the gate generated for it do not compile: " + oneLine(problem), nil
		}
	}
	return nil, "the calls that the gate generated for it do not compile: " + oneLine(problem), nil
}

// besideSteps writes the source files that make the calls, and returns the commands that
// compile them.
func (t *checker) besideSteps(p *pkg, plan *beside.Plan, counts *reachCounters, scratch string) ([]step, error) {
	files, err := plan.Files()
	if err != nil {
		return nil, err
	}
	for _, test := range p.tests { // the tests of the package are not needed
		files[path.Join(p.dir, test)] = nil
	}
	var steps []step
	for _, side := range []string{"base", "candidate"} {
		over := maps.Clone(files)
		if counts != nil {
			maps.Copy(over, counts.sources(side == "base"))
		}
		if side == "base" {
			for _, at := range t.layout.changed {
				over[at], err = os.ReadFile(filepath.Join(t.layout.base.root, filepath.FromSlash(at)))
				if err != nil && !errors.Is(err, os.ErrNotExist) {
					return nil, err
				}
			}
		}
		overlay, err := t.layout.env.overlay(scratch, side, over)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step{name: side, must: true, compiles: true, argv: t.layout.env.goCommand("test", "-c", "-vet=off", "-ldflags=-s -w",
			"-overlay", overlay, "-o", path.Join(t.lab.inside(scratch, scratchPlace), side+".bin"), p.arg())})
	}
	return steps, nil
}

// besideRunner returns a function that runs a script of calls in a sandbox of its own.
// The function fails once the time in left, which all packages share, is used up.
func (t *checker) besideRunner(p *pkg, binaries map[beside.Side]string, left *time.Duration) beside.Runner {
	return func(ctx context.Context, side beside.Side, script string) (report, printed []byte, err error) {
		const least = 500 * time.Millisecond
		if *left < least {
			return nil, nil, beside.ErrTime
		}
		r := t.layout.env
		if side == beside.Base {
			r = t.layout.baseEnv
		}
		file := filepath.Join(t.dir, t.nonces.word())
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			return nil, nil, err
		}
		defer func() { _ = os.Remove(file) }()
		seen, binary := "/"+t.nonces.word(), "/"+t.nonces.word()+"/"+t.nonces.word()
		if t.nonces.err != nil {
			return nil, nil, t.nonces.err
		}
		s := r.spec(p.module, false)
		s.Shown = append(s.Shown, sandbox.Shown{Source: file, Path: seen, Writable: true}, sandbox.Shown{Source: binaries[side], Path: binary})
		s.Dir = r.at(p.dir)
		s.Argv = []string{"/bin/sh", "-c", "REPORT=" + quote(seen) + "; HARNESS=" + quote(binary) + "\n" + script}
		s.Limits.Total = min(s.Limits.Total, 1<<30)
		begun := t.lab.Now()
		most := *left
		if side == beside.Base { // the base runs twice before the candidate does, so limit the base's share of the time
			most = min(most, t.limits.Beside*3/10)
		}
		timed, cancel := context.WithTimeout(ctx, most)
		defer cancel()
		_, out, err := t.lab.Sandbox.Run(timed, s, nil, maxOutput)
		*left -= t.lab.Now().Sub(begun)
		if err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
			return nil, nil, err
		}
		text, more, err := reported(file, mostBeside)
		if more {
			return nil, nil, errors.New("the calls wrote too much output")
		}
		return []byte(text), out.Stdout, err
	}
}

// mostBeside is the maximum number of bytes that are read from a run's report.
const mostBeside = 64 << 20

// explanations returns, for each function whose behaviour differs, the tests that cover it
// and show that the difference is intended: tests of the patch that ran and failed on the
// base, and tests of the base that fail without the patch and pass with it.
func (t *checker) explanations(ctx context.Context, plan *beside.Plan, out beside.Outcome) (map[string][]string, error) {
	if len(out.Different)+len(out.Slight) == 0 {
		return nil, nil
	}
	fixing, err := t.fixingTests(ctx)
	if err != nil {
		return nil, err
	}
	explain := map[string][]string{}
	for _, d := range slices.Concat(out.Different, out.Slight) {
		names := plan.Reaches(d.Subject.Name)
		for _, s := range fixing {
			for _, test := range beside.Mentions(s.text, names) {
				if slices.Contains(s.tests, test) {
					explain[d.Subject.Name] = append(explain[d.Subject.Name], test)
				}
			}
		}
	}
	return explain, nil
}

// fixingTests is a test file, together with the tests in its folder that fail without the
// patch and pass with it.
type fixingTests struct {
	text  []byte
	tests []string
}

// fixingTests returns the test files with tests that show the effect of the patch. A test
// of the patch that did not compile on the base shows nothing about any single function.
func (t *checker) fixingTests(ctx context.Context) ([]fixingTests, error) {
	var out []fixingTests
	read := func(root, file string, tests []string) error {
		if len(tests) == 0 || !strings.HasSuffix(file, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		out = append(out, fixingTests{text, tests})
		return err
	}
	f, err := t.freshTests(ctx)
	if err != nil {
		return nil, err
	}
	for _, file := range t.layout.fresh {
		var tests []string
		for _, name := range f.names[path.Dir(file)] {
			if became := f.before[path.Join(path.Dir(file), name)]; became == "failed" || became == "did not finish" {
				tests = append(tests, name)
			}
		}
		if err := read(t.change.Candidate, file, tests); err != nil {
			return nil, err
		}
	}
	list, err := t.test(ctx)
	if err != nil {
		return nil, err
	}
	for _, x := range list {
		for _, file := range x.pkg.tests {
			if err := read(t.layout.env.tree, path.Join(x.pkg.dir, file), x.mended); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// besideVerdict collects the outcomes of packages.
type besideVerdict struct {
	functions, inputs int
	claim             Claim
	// json reports whether compared values may be encoded as JSON, which distinguishes
	// nil from empty.
	json bool
	// different holds descriptions of differences. looked holds those covered by a test
	// that fails without the patch, explained holds those due to tuned constants, and
	// slight and empty hold those of little importance. left holds the functions that
	// were not compared. unsteady holds the results that vary between runs of the base.
	// missed holds the changed statements that no input reached, and unlooked holds those
	// among them that no test reaches either. reached is the number of changed statements
	// that inputs reached, and failing is the number of those reached only by calls that
	// ended in an error or a panic.
	missed, unlooked                                                     []string
	reached, failing                                                     int
	different, looked, explained, slight, empty, left, unsteady, unbuilt []string
}

// add adds the outcome of one package.
func (v *besideVerdict) add(plan *beside.Plan, out beside.Outcome, explain map[string][]string) {
	v.functions, v.inputs = v.functions+out.Functions, v.inputs+out.Inputs
	dir := ""
	if plan.Package.Dir != "." {
		dir = path.Base(plan.Package.Dir) + ": "
	}
	for _, d := range out.Different {
		text := dir + d.String()
		switch tests := explain[d.Subject.Name]; {
		case plan.Tuned:
			v.explained = append(v.explained, text+" (a constant marked for tuning differs)")
		case len(tests) > 0:
			v.looked = append(v.looked, text+" (covered by "+some(tests)+")")
		default:
			v.different = append(v.different, text)
		}
	}
	for _, d := range out.Slight {
		if d.EmptyAlone() && !plan.Tuned && len(explain[d.Subject.Name]) == 0 {
			v.empty = append(v.empty, dir+d.String())
		} else {
			v.slight = append(v.slight, dir+d.String())
		}
	}
	for _, r := range out.Left {
		v.left = append(v.left, dir+r.Function+" ("+r.Why+")")
	}
	for _, r := range out.Unsteady {
		v.unsteady = append(v.unsteady, dir+r.Function+" ("+r.Why+")")
	}
}

// verdict returns the verdict of the gate.
func (v *besideVerdict) verdict() (gates.Verdict, string) {
	if v.json {
		v.different = append(v.different, v.empty...)
	} else {
		v.slight = append(v.slight, v.empty...)
	}
	var evidence []string
	note := func(what string, list []string) {
		if len(list) > 0 {
			slices.Sort(list)
			evidence = append(evidence, what+": "+some(slices.Compact(list)))
		}
	}
	verdict := gates.Passed
	called := fmt.Sprintf("%s called with %s before and after the patch", text.Count(v.functions, "function"), text.Count(v.inputs, "input"))
	if v.functions == 0 {
		called = "no changed function can be called both before and after the patch"
	}
	all := slices.Concat(v.different, v.looked)
	changed := fmt.Sprintf("behaviour changed in %s: %s", text.Count(len(all), "function"), some(all))
	switch {
	case len(all) > 0 && v.claim == Refactoring:
		verdict = gates.Flagged
		evidence = append(evidence, called+"; the patch is declared "+string(v.claim)+", but "+changed)
	case len(v.different) > 0 && v.claim == Faster:
		verdict = gates.Failed
		evidence = append(evidence, called+"; the patch is declared "+string(v.claim)+", but no test covers its change: "+changed)
	case len(all) > 0 && v.claim == Faster:
		verdict = gates.Flagged
		evidence = append(evidence, called+"; the patch is declared "+string(v.claim)+", but "+changed)
	case len(v.different) > 0:
		verdict = gates.Flagged
		evidence = append(evidence, fmt.Sprintf("%s; behaviour changed in %s, and no test that fails without the patch covers it: %s", called, text.Count(len(v.different), "function"), some(v.different)))
	case v.functions > 0 && len(v.looked)+len(v.explained)+len(v.slight) == 0 && v.reached == 0 && len(v.missed) > 0:
		evidence = append(evidence, called+"; no input reached a changed statement")
	case v.functions > 0 && len(v.looked)+len(v.explained)+len(v.slight) == 0:
		evidence = append(evidence, called+v.reach()+": no difference")
	default:
		evidence = append(evidence, called)
	}
	if v.failing > 0 && v.failing == v.reached {
		evidence = append(evidence, fmt.Sprintf("every changed statement that an input reached was reached only by calls that ended in an error or a panic (%d)", v.failing))
	}
	if len(v.unbuilt)+len(v.unlooked) > 0 && verdict == gates.Passed {
		verdict = gates.Flagged
	}
	note("not compared", v.unbuilt)
	if looked := slices.DeleteFunc(slices.Clone(v.missed), func(s string) bool { return slices.Contains(v.unlooked, s) }); len(looked) > 0 {
		note("not compared: reached by tests, but by no input", looked)
	}
	note("not compared: reached by no input and no test", v.unlooked)
	if v.claim == "" {
		v.explained = append(v.explained, v.looked...)
	}
	note("intended changes", v.explained)
	note("slight", v.slight)
	note("not compared", v.left)
	note("not compared, because the results vary on the base", v.unsteady)
	return verdict, strings.Join(evidence, "; ")
}

// reach describes how many of the changed statements the inputs reached; "" if no statement
// is known.
func (v *besideVerdict) reach() string {
	if v.reached+len(v.missed) == 0 {
		return ""
	}
	return fmt.Sprintf(", which reached %s of %s", text.Whole(v.reached), text.Count(v.reached+len(v.missed), "changed statement"))
}
