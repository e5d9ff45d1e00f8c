package scan

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"slices"
)

// report records a finding at a position in the candidate. Source text in the message must
// be quoted with %q or %+q.
type report func(at token.Pos, fatal bool, why string, args ...any)

// detector looks for one way of deceiving a test gate.
type detector struct {
	// rule is the name of the detector in its findings. family is the gate to which the
	// findings belong.
	rule, family string
	// tests reports whether the detector also reads test files. Detectors for code that is
	// common in tests, such as writes to testdata or the starting of processes, do not.
	tests bool
	// standing reports whether the detector ignores uses that a function already had, even
	// if the patch changes the function, because such uses do not depend on the change.
	standing bool
	look     func(f *file, found report)
}

// The families of detectors; each family is a gate.
const (
	familyParse  = "source: parses"
	familyText   = "source: text"
	familyExits  = "source: exits"
	familyAware  = "source: test awareness"
	familyOutput = "source: arguments and output"
	familyReach  = "source: reach"
	familyBuild  = "source: build"
	familyTables = "source: tables"
)

// parseRule is the rule of the finding for a file that does not parse. The detectors do not
// read such a file.
const parseRule = "parse"

// detectors lists all detectors, in the order in which their findings are reported.
func detectors() []detector {
	return []detector{
		{rule: "hidden character", family: familyText, tests: true, look: hiddenCharacters},
		{rule: "look-alike", family: familyText, tests: true, look: lookAlikes},
		{rule: "far right", family: familyText, tests: true, look: farRight},
		{rule: "shadow", family: familyText, tests: true, look: shadows},
		{rule: "TestMain", family: familyExits, tests: true, look: testMain},
		{rule: "exit", family: familyExits, tests: true, look: exits},
		{rule: "early goroutine", family: familyExits, tests: true, look: earlyGoroutines},
		{rule: "finalizer", family: familyExits, tests: true, look: finalizers},
		{rule: "later", family: familyExits, look: laterCode},
		{rule: "recover", family: familyExits, look: swallowedPanics},
		{rule: "test awareness", family: familyAware, look: testAwareness},
		{rule: "environment", family: familyAware, look: environment},
		{rule: "date", family: familyAware, look: dates},
		{rule: "ambience", family: familyAware, standing: true, look: ambience},
		{rule: "comparison", family: familyAware, look: comparisons},
		{rule: "arguments", family: familyOutput, tests: true, look: arguments},
		{rule: "standard output", family: familyOutput, tests: true, look: standardOutput},
		{rule: "forged output", family: familyOutput, tests: true, look: forgedOutput},
		{rule: "write", family: familyOutput, look: writes},
		{rule: "foreign variable", family: familyReach, tests: true, standing: true, look: foreignVariables},
		{rule: "unsafe", family: familyReach, tests: true, standing: true, look: unsafety},
		{rule: "import", family: familyReach, look: newImports},
		{rule: "client", family: familyReach, standing: true, look: clients},
		{rule: "guard", family: familyReach, look: lostGuards},
		{rule: "sentinel", family: familyReach, look: sentinels},
		{rule: "wire", family: familyReach, look: wireNames},
		{rule: "dropped", family: familyExits, look: droppedErrors},
		{rule: "counter", family: familyAware, look: callCounters},
		{rule: "cgo", family: familyBuild, tests: true, look: cgo},
		{rule: "directive", family: familyBuild, tests: true, look: directives},
		{rule: "constraint", family: familyBuild, tests: true, look: constraints},
		{rule: "file name", family: familyBuild, tests: true, look: fileNames},
		{rule: "table", family: familyTables, look: tables},
	}
}

// Go scans the source files of a patch and returns the findings sorted by path, line and
// rule. It ignores files that are not Go files and files that the patch removes.
// Declarations that are already in the base are not scanned, but a function that the patch
// changes is scanned as a whole.
func Go(list []Source) []Finding {
	var out []Finding
	var files []*file
	for _, s := range list {
		if s.New == nil || !isGo(s.Path) {
			continue
		}
		f, err := parse(s)
		if err != nil {
			out = append(out, Finding{Path: s.Path, Line: errorLine(err), Rule: parseRule, Fatal: true, Why: fmt.Sprintf("it does not parse: %+q", err.Error())})
			continue
		}
		files = append(files, f)
	}
	packages(files)
	for _, f := range files {
		for _, d := range detectors() {
			if !f.test() || d.tests {
				out = append(out, d.findings(f)...)
			}
		}
	}
	slices.SortFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Why, b.Why))
	})
	return slices.Compact(out)
}

// findings returns the findings of one detector in a file.
func (d detector) findings(f *file) []Finding {
	var out []Finding
	stood := map[string]int{}
	if before := f.before(); d.standing && before != nil {
		d.look(before, func(_ token.Pos, _ bool, why string, args ...any) { stood[fmt.Sprintf(why, args...)]++ })
	}
	d.look(f, func(at token.Pos, fatal bool, why string, args ...any) {
		said := fmt.Sprintf(why, args...)
		if stood[said] > 0 {
			stood[said]--
			return
		}
		out = append(out, Finding{Path: f.Path, Line: max(1, f.set.PositionFor(at, false).Line), Rule: d.rule, Fatal: fatal, Why: said})
	})
	return out
}

func errorLine(err error) int {
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return max(1, list[0].Pos.Line)
	}
	return 1
}

// each visits every node in the file's units.
func (f *file) each(visit func(ast.Node)) {
	for _, u := range f.units {
		ast.Inspect(u.node, func(n ast.Node) bool {
			if n != nil {
				visit(n)
			}
			return n != nil
		})
	}
}
