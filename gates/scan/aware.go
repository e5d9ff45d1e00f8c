package scan

import (
	"go/ast"
	"strings"

	"evolve/gates/syntax"
)

// testAwareness looks for source code that checks whether it is being tested. Facts that
// hold only during a test run (testing.Testing, the flags of a test binary in a file that
// reads flags, the binary's name, the test files on its stack) have no legitimate use
// outside tests. Build information, the helpers in package testing, and the flags of a test
// binary that is started as another process have some legitimate uses. A changed test
// helper is flagged for a person, because it can affect tests as a changed test does.
func testAwareness(f *file, found report) {
	name, stack := syntax.Contains(f.now, f.readsName), syntax.Contains(f.now, f.readsStack)
	for _, u := range f.units {
		if i, ok := u.node.(*ast.ImportSpec); ok {
			if p := importPath(i); p == "testing" || strings.HasPrefix(p, "testing/") {
				found(i.Pos(), false, "it imports %q outside a test file", p)
			}
			continue
		}
		if f.helps() || f.pkg.had["testing"] && f.mentions(u.node, "testing") {
			found(u.node.Pos(), false, "tests use it as a helper, but it is not in a test file of the base")
		}
		ast.Inspect(u.node, func(n ast.Node) bool {
			switch {
			case n == nil:
			case f.is(n, "testing", "Testing", "CoverMode", "Coverage"):
				found(n.Pos(), true, "it checks whether it is being tested")
			case f.is(n, "runtime/debug", "ReadBuildInfo"):
				found(n.Pos(), false, "it reads the build information, which differs in a test binary")
			}
			return true
		})
		f.eachText(u.node, func(n ast.Node, value string) {
			switch {
			case testFlag(value):
				found(n.Pos(), name, "%+q is a flag that only a test binary has", value)
			case name && testBinary(value):
				found(n.Pos(), true, "it reads its own name and contains the name of a test binary, %+q", value)
			case stack && testFrame(value):
				found(n.Pos(), true, "it reads its call stack and contains text that would identify a test there, %+q", value)
			}
		})
	}
}

// helps reports whether the file already contained test helpers before the patch.
func (f *file) helps() bool {
	before := f.before()
	return before != nil && before.imported["testing"] == "testing"
}

// mentions reports whether any node in a subtree refers to a package.
func (f *file) mentions(n ast.Node, pkg string) bool {
	return syntax.Contains(n, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		id, ok := s.X.(*ast.Ident)
		return ok && f.imported[id.Name] == pkg
	})
}

// readsName reports whether a node reads the name or the arguments of the running program.
func (f *file) readsName(n ast.Node) bool {
	return f.is(n, "os", "Args", "Executable") || f.is(n, "flag", "CommandLine", "Lookup", "Arg", "Args") || f.is(n, "runtime/debug", "ReadBuildInfo")
}

// readsStack reports whether a node inspects the call stack.
func (f *file) readsStack(n ast.Node) bool {
	return f.is(n, "runtime", "Caller", "Callers", "CallersFrames", "Stack", "FuncForPC") || f.is(n, "runtime/debug", "Stack", "PrintStack")
}

// testFlag reports whether a text is a flag of a test binary, with or without its dash and
// value.
func testFlag(s string) bool {
	s = strings.TrimLeft(s, "-")
	name, ok := strings.CutPrefix(s, "test.")
	if !ok {
		return false
	}
	name, _, _ = strings.Cut(name, "=")
	switch name {
	case "", "v", "run", "short", "timeout", "count", "bench", "benchtime", "benchmem", "cpu", "parallel", "list", "failfast", "fullpath", "skip",
		"shuffle", "coverprofile", "gocoverdir", "cpuprofile", "memprofile", "trace", "testlogfile", "paniconexit0", "fuzz", "outputdir":
		return true
	}
	return false
}

func testBinary(s string) bool {
	return s == ".test" || s == "_test" || strings.HasSuffix(s, ".test") || strings.HasSuffix(s, ".test.exe") || s == "/_test/" || strings.Contains(s, "go-build")
}

func testFrame(s string) bool {
	return strings.Contains(s, "_test.go") || strings.Contains(s, "testing.") || s == "_test" || s == "Test" || strings.HasSuffix(s, ".Test")
}
