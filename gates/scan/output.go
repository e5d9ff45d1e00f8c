package scan

import (
	"go/ast"
	"slices"
	"strings"

	"evolve/gates/syntax"
)

// arguments looks for writes to the program's arguments and flags, because such writes can
// make a test binary run no tests.
func arguments(f *file, found report) {
	f.each(func(n ast.Node) {
		switch x := n.(type) {
		case *ast.AssignStmt:
			for _, l := range x.Lhs {
				if f.is(root(l), "os", "Args") || f.is(l, "flag", "CommandLine") {
					found(n.Pos(), f.pkg.early[n], "the program's arguments are modified")
				}
			}
		case *ast.CallExpr:
			if id, ok := x.Fun.(*ast.Ident); ok && (id.Name == "copy" || id.Name == "clear") && len(x.Args) > 0 && f.is(root(x.Args[0]), "os", "Args") {
				found(n.Pos(), f.pkg.early[n], "the program's arguments are modified")
			}
			if f.is(x.Fun, "flag", "Set", "Parse") && f.pkg.early[n] {
				found(n.Pos(), false, "flags are set or parsed when the package is loaded")
			}
			if s, ok := x.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Set" && len(x.Args) == 2 {
				if name, ok := f.text(x.Args[0]); ok && testFlag(name) {
					found(n.Pos(), true, "a flag of the test binary is set")
				}
			}
		}
	})
}

// root returns the innermost operand of index, slice, dereference and type assertion
// expressions.
func root(e ast.Expr) ast.Expr {
	for {
		switch x := e.(type) {
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.TypeAssertExpr:
			e = x.X
		default:
			return e
		}
	}
}

// standardOutput looks for code that closes or replaces the streams that go test reads.
func standardOutput(f *file, found report) {
	f.each(func(n ast.Node) {
		switch x := n.(type) {
		case *ast.AssignStmt:
			for _, l := range x.Lhs {
				if f.is(root(l), "os", "Stdout", "Stderr") {
					found(n.Pos(), f.pkg.early[n], "a standard stream is replaced")
				}
			}
		case *ast.CallExpr:
			s, ok := x.Fun.(*ast.SelectorExpr)
			switch {
			case ok && s.Sel.Name == "Close" && f.is(s.X, "os", "Stdout", "Stderr"):
				found(n.Pos(), f.pkg.early[n], "a standard stream is closed")
			case (f.is(x.Fun, "syscall", "Dup2", "Dup3", "Close") || f.is(x.Fun, "golang.org/x/sys/unix", "Dup2", "Dup3", "Close")) && len(x.Args) > 0 &&
				syntax.Contains(x, func(n ast.Node) bool {
					e, ok := n.(ast.Expr)
					return ok && (number(e) == 1 || number(e) == 2 || f.is(n, "os", "Stdout", "Stderr") || f.is(n, "syscall", "Stdout", "Stderr"))
				}):
				found(n.Pos(), false, "the descriptor of a standard stream is replaced or closed")
			}
		}
	})
}

// forged lists texts that are normally printed only by the command go test or by a test
// binary.
var forged = []string{
	"--- PASS", "--- FAIL", "--- SKIP", "=== RUN", "=== PAUSE", "=== CONT", `"Action":"`, `"Action": "`, "mode: set\n", "mode: count\n", "mode: atomic\n", "ok  \t", "\x16---",
	"PASS\n", "coverage: ",
}

// forgedOutput looks for text that go test would take for its own output. Text that is
// printed is fatal, because it forges output; other text is only flagged, because a program
// that parses the output of go test contains such text too.
func forgedOutput(f *file, found report) {
	printed := map[ast.Node]bool{}
	f.each(func(n ast.Node) {
		if call, ok := n.(*ast.CallExpr); ok && f.prints(call) {
			for _, arg := range call.Args {
				value, ok := f.text(arg)
				if !ok || !looksForged(value, true) {
					continue
				}
				found(n.Pos(), true, "it prints %+q, which imitates go test", value)
				ast.Inspect(arg, func(n ast.Node) bool { printed[n] = true; return true })
			}
		}
	})
	for _, u := range f.units {
		f.eachText(u.node, func(n ast.Node, value string) {
			if !printed[n] && looksForged(value, false) {
				found(n.Pos(), false, "%+q is output of go test", value)
			}
		})
	}
}

// looksForged reports whether a text contains a line of go test's output. If printed is
// set, it also returns true for a text that becomes such a line once Println adds a line
// break.
func looksForged(s string, printed bool) bool {
	for _, mark := range forged {
		if strings.HasPrefix(s, mark) || strings.Contains(s, "\n"+mark) || (len(mark) > 8 && strings.Contains(s, mark)) {
			return true
		}
	}
	return printed && (s == "PASS" || s == "mode: set" || s == "mode: count" || s == "mode: atomic")
}

// prints reports whether a call writes to the program's output.
func (f *file) prints(c *ast.CallExpr) bool {
	switch {
	case f.is(c.Fun, "fmt", "Print", "Println", "Printf"):
		return true
	case f.is(c.Fun, "fmt", "Fprint", "Fprintln", "Fprintf") || f.is(c.Fun, "io", "WriteString"):
		return len(c.Args) > 0 && f.is(c.Args[0], "os", "Stdout", "Stderr")
	}
	if id, ok := c.Fun.(*ast.Ident); ok {
		return id.Name == "print" || id.Name == "println"
	}
	s, ok := c.Fun.(*ast.SelectorExpr)
	return ok && (s.Sel.Name == "WriteString" || s.Sel.Name == "Write") && f.is(s.X, "os", "Stdout", "Stderr")
}

// madeOf lists parts of the names of files on which tests depend or that test runs produce.
var madeOf = []string{"_test.go", "testdata", ".golden", "go.mod", "go.sum", "go.work", "coverage", "cover.out"}

// writes looks for source code that creates, changes or removes files whose names contain a
// part listed in madeOf.
func writes(f *file, found report) {
	f.each(func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || !(f.is(call.Fun, "os", "WriteFile", "Create", "OpenFile", "Rename", "Remove", "RemoveAll", "Symlink", "Link", "Truncate", "Chmod", "Mkdir", "MkdirAll", "Chdir") ||
			f.is(call.Fun, "io/ioutil", "WriteFile")) {
			return
		}
		for _, arg := range call.Args {
			f.eachText(arg, func(n ast.Node, value string) {
				if slices.ContainsFunc(madeOf, func(mark string) bool { return strings.Contains(value, mark) }) {
					found(n.Pos(), false, "it writes to %+q, which belongs to the tests", value)
				}
			})
		}
	})
}
