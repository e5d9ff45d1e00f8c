package scan

import (
	"go/ast"
	"go/token"
	"strings"
)

// testAwareness looks for source that asks whether it is being tested. What only a
// test run knows (testing.Testing, the flags of a test binary, its name, the test
// files on its stack) has no honest use outside of tests; build information and the
// helpers of package testing have some.
func testAwareness(f *file, found report) {
	for _, u := range f.units {
		if i, ok := u.node.(*ast.ImportSpec); ok {
			if p := importPath(i); p == "testing" || strings.HasPrefix(p, "testing/") {
				found(i.Pos(), false, "%q outside of a test file", p)
			}
			continue
		}
		name, stack := false, false
		ast.Inspect(u.node, func(n ast.Node) bool {
			name = name || f.asksName(n)
			stack = stack || f.asksStack(n)
			return true
		})
		ast.Inspect(u.node, func(n ast.Node) bool {
			switch {
			case n == nil:
			case f.is(n, "testing", "Testing", "CoverMode", "Coverage"):
				found(n.Pos(), true, "it asks whether it is being tested")
			case f.is(n, "runtime/debug", "ReadBuildInfo"):
				found(n.Pos(), false, "the build information tells a test binary from others")
			}
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			value, _ := text(lit)
			switch {
			case testFlag(value):
				found(n.Pos(), true, "%+q is a flag that only a test binary has", value)
			case name && testBinary(value):
				found(n.Pos(), true, "it compares its own name with that of a test binary, %+q", value)
			case stack && testFrame(value):
				found(n.Pos(), true, "it looks for tests among its callers, %+q", value)
			}
			return true
		})
	}
}

// asksName tells whether a node asks for the name or the arguments of the program.
func (f *file) asksName(n ast.Node) bool {
	return f.is(n, "os", "Args", "Executable") || f.is(n, "flag", "CommandLine", "Lookup", "Arg", "Args") || f.is(n, "runtime/debug", "ReadBuildInfo")
}

// asksStack tells whether a node asks who calls it.
func (f *file) asksStack(n ast.Node) bool {
	return f.is(n, "runtime", "Caller", "Callers", "CallersFrames", "Stack", "FuncForPC") || f.is(n, "runtime/debug", "Stack", "PrintStack")
}

// testFlag tells whether a text is a flag of a test binary, alone or with its dash
// and value.
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
