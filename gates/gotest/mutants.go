package gotest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"evolve/gates"
	"evolve/gates/beside"
	"evolve/runtime/text"
)

// mutantsGate flags changed functions whose mutants no test notices, because such functions
// are not verified.
func (t *checker) mutantsGate(ctx context.Context) (gates.Verdict, string, error) {
	l := t.layout
	c := t.compiled
	e, err := t.experiment(ctx)
	if err != nil {
		return "", "", err
	}
	var open []string
	enough := map[string]bool{} // changed types that are used by a function whose mutant a test notices
	for _, x := range c.probed.mutants {
		enough[x.any] = enough[x.any] || e.noticed[x.word] != ""
	}
	noticed := 0
	var by []string
	for _, x := range c.probed.mutants {
		switch p := e.noticed[x.word]; {
		case p != "":
			noticed++
			if !slices.Contains(by, p) {
				by = append(by, p)
			}
		case x.any != "" && enough[x.any]:
		default:
			why := e.why(x, t.limits.Mutants)
			if !e.reached[x.reached] && !e.bound[x.word] {
				tests, err := t.freshCallers(x.name)
				if err != nil {
					return "", "", err
				}
				why += tests
			}
			open = append(open, x.described()+why)
		}
	}
	for _, u := range c.probed.unseen {
		open = append(open, u+": nothing in it can be made to panic")
	}
	if len(e.restless) > 0 {
		open = append(open, "even when no test runs, changed code runs in "+some(e.restless)+", so making it panic proves nothing there")
	}
	if len(e.unbuilt) > 0 {
		open = append(open, "the changed code could not be instrumented in "+some(e.unbuilt)+", so nothing was tried there")
	}
	tried := fmt.Sprintf("%s were made to panic, one at a time; tests noticed %d of them", text.Count(len(c.probed.mutants), "changed function"), noticed)
	if len(c.probed.mutants) == 1 {
		tried = "1 changed function was made to panic; a test noticed it"
		if noticed == 0 {
			tried = "1 changed function was made to panic; no test noticed it"
		}
	}
	switch {
	case len(open) > 0 && len(c.probed.mutants) == 0:
		return gates.Flagged, "not verified: " + some(open), nil
	case len(open) > 0:
		return gates.Flagged, "not verified: " + some(open) + "; " + tried, nil
	case l.onlyDocuments():
		return gates.Passed, l.idle(), nil
	case len(c.probed.mutants) == 0 && len(l.changed) == 0:
		return gates.Flagged, "not verified: the patch only changes tests", nil
	case len(c.probed.mutants) == 0:
		return gates.Passed, "only comments and layout changed, no code", nil
	}
	return gates.Passed, tried + ", in " + some(by), nil
}

// described describes a mutant.
func (x mutant) described() string {
	s := x.pkg.dir + ": " + x.name
	if x.why != "" {
		s += " (" + x.why + ")"
	}
	return s
}

// freshCallers names the patch's own tests that call a function; "" if there are none.
func (t *checker) freshCallers(function string) (string, error) {
	var tests []string
	for _, file := range t.layout.fresh {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(t.change.Candidate, filepath.FromSlash(file)))
		if err != nil {
			return "", err
		}
		short := function[strings.LastIndex(function, ".")+1:]
		tests = append(tests, beside.Mentions(text, map[string]bool{short: true})...)
	}
	if len(tests) == 0 {
		return "", nil
	}
	return " (only the patch's own tests name it: " + some(tests) + ")", nil
}

// why describes why no test noticed the mutant x; most is the maximum number of mutants
// that are tried.
func (e *experiments) why(x mutant, most int) string {
	switch {
	case e.bound[x.word]:
		return fmt.Sprintf(" was not tried, because at most %d are tried", most)
	case !e.reached[x.reached]:
		return " is not called by any test of the base"
	}
	return " can panic without failing a test"
}

// coverageGate flags changed statements that no test reaches, new or changed conditions
// whose effect no test notices, and removed code that no test covered.
func (t *checker) coverageGate(ctx context.Context) (gates.Verdict, string, error) {
	c := t.compiled
	e, err := t.experiment(ctx)
	if err != nil {
		return "", "", err
	}
	var open, idle []string
	statements := 0
	conditions, undecided := map[string]bool{}, map[string]bool{}
	for _, p := range c.probed.probes {
		at := fmt.Sprintf("%s:%d", p.file, p.line)
		if p.condition == "" {
			statements++
			if !e.reached[p.word] {
				open = append(open, at)
			}
			continue
		}
		key := strconv.QuoteToASCII(p.condition) + " " + at
		conditions[key] = true
		if !e.reached[p.word] {
			undecided[key] = true
			idle = append(idle, fmt.Sprintf("%s is never %s (%s)", strconv.QuoteToASCII(p.condition), p.wants, at))
		}
	}
	var loose, untried []string
	for _, x := range c.probed.forced {
		at := fmt.Sprintf("%s:%d", x.file, x.line)
		key := strconv.QuoteToASCII(x.text) + " " + at
		switch {
		case undecided[key] || e.decides[x.never]:
		case e.untried[x.never]:
			untried = append(untried, fmt.Sprintf("%s was not forced to true or false, for lack of time (%s)", strconv.QuoteToASCII(x.text), at))
		default:
			undecided[key] = true
			loose = append(loose, fmt.Sprintf("%s can be forced to true or false (%s)", strconv.QuoteToASCII(x.text), at))
		}
	}
	lost, err := t.untestedRemovals(ctx)
	if err != nil {
		return "", "", err
	}
	evidence := "the patch changes no statement that tests could reach"
	if statements > 0 {
		evidence = fmt.Sprintf("%s of %s reached by the tests of the base", text.Whole(statements-len(open)), text.Count(statements, "changed statement"))
	}
	if len(conditions) > 0 {
		evidence += fmt.Sprintf("; %d of %s tested for every required outcome", len(conditions)-len(undecided), text.Count(len(conditions), "new condition"))
	}
	if len(open) > 0 {
		evidence += "; not reached: " + some(open)
	}
	if len(idle) > 0 {
		evidence += "; in the tests, " + some(idle)
	}
	if len(loose) > 0 {
		evidence += "; without failing a test, " + some(loose)
	}
	if len(untried) > 0 {
		evidence += "; " + some(untried)
	}
	if len(lost) > 0 {
		evidence += "; removed, and reached by no test of the base: " + some(lost)
	}
	if len(open)+len(idle)+len(loose)+len(untried)+len(lost) > 0 {
		return gates.Flagged, evidence, nil
	}
	return gates.Passed, evidence, nil
}
