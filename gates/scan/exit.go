package scan

import (
	"go/ast"
	"slices"
	"strings"

	"evolve/gates/syntax"
)

// exiting returns the name of the function if an expression names one that ends the process
// or the goroutine without returning to its callers.
func (f *file) exiting(n ast.Node) (name string, ok bool) {
	switch {
	case f.is(n, "os", "Exit"):
		return "os.Exit", true
	case f.is(n, "syscall", "Exit"):
		return "syscall.Exit", true
	case f.is(n, "syscall", "Exec"), f.is(n, "golang.org/x/sys/unix", "Exec"):
		return "an exec that replaces the process", true
	case f.is(n, "golang.org/x/sys/unix", "Exit"):
		return "unix.Exit", true
	case f.is(n, "runtime", "Goexit"):
		return "runtime.Goexit", true
	}
	return "", false
}

// exits looks for code that ends the process. In code that runs when the package is loaded,
// it is fatal: a test binary that exits with status 0 before its first test looks as if all
// tests had passed, and no library ends its program while it is being loaded. An exit with
// a constant status other than 0 is only flagged. Panics and log.Fatal are ignored, because
// they end the process with a status that fails the tests.
func exits(f *file, found report) {
	inMain := map[ast.Node]bool{}
	for _, u := range f.units {
		if fn, ok := u.node.(*ast.FuncDecl); ok && f.now.Name.Name == "main" && fn.Recv == nil && fn.Name.Name == "main" {
			ast.Inspect(fn, func(n ast.Node) bool { inMain[n] = true; return true })
		}
	}
	stood := f.stoodExits()
	said := map[ast.Node]bool{}
	f.each(func(n ast.Node) {
		if call, ok := n.(*ast.CallExpr); ok && f.pkg.early[n] {
			if name, ends := f.exiting(call.Fun); ends {
				fails := len(call.Args) == 1 && number(call.Args[0]) > 0
				found(n.Pos(), !fails, "%s runs before any test, when the package is loaded", name)
				said[call.Fun] = true
			}
		}
		if name, ends := f.exiting(n); ends && !said[n] && !inMain[n] && !stood[n] && !f.exitsWithTests(n) {
			found(n.Pos(), false, "%s outside of main also ends the tests", name)
		}
		switch x := n.(type) { // the name in a selector is not a reference of its own
		case *ast.SelectorExpr:
			said[x.Sel] = true
		case *ast.ParenExpr:
			said[x.X] = said[x]
		}
	})
}

// exitsWithTests reports whether a node is in a TestMain, which another detector checks.
func (f *file) exitsWithTests(n ast.Node) bool {
	for _, u := range f.units {
		if fn, ok := u.node.(*ast.FuncDecl); ok && isTestMain(fn) && fn.Pos() <= n.Pos() && n.End() <= fn.End() {
			return true
		}
	}
	return false
}

func isTestMain(fn *ast.FuncDecl) bool { return fn.Recv == nil && fn.Name.Name == "TestMain" }

// testMain looks for TestMain, the function that go test calls instead of the tests. A
// TestMain in a test file may be legitimate, so it is flagged for a person. A TestMain that
// does not run the tests, or that is not in a test file, is fatal.
func testMain(f *file, found report) {
	for _, u := range f.units {
		fn, ok := u.node.(*ast.FuncDecl)
		if !ok || !isTestMain(fn) {
			continue
		}
		runs := len(fn.Type.Params.List) == 1 && len(fn.Type.Params.List[0].Names) == 1 && passesOn(fn, fn.Type.Params.List[0].Names[0].Name)
		constant := syntax.Contains(fn, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return false
			}
			_, ends := f.exiting(call.Fun)
			lit, is := call.Args[0].(*ast.BasicLit)
			return ends && is && strings.Trim(lit.Value, "0xXbBoO_") == ""
		})
		switch {
		case !f.test():
			found(fn.Pos(), true, "a TestMain outside of a test file takes effect only once the file is renamed to a test file")
		case !runs:
			found(fn.Pos(), true, "it runs instead of the tests and does not run them")
		case constant:
			found(fn.Pos(), false, "it can exit with status 0 even if tests failed")
		default:
			found(fn.Pos(), false, "it controls how go test runs every test of the package")
		}
	}
}

// passesOn reports whether a TestMain calls Run on its parameter, or passes the parameter
// to a function that may do so, such as goleak.VerifyTestMain.
func passesOn(fn *ast.FuncDecl, name string) bool {
	named := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && id.Name == name
	}
	return syntax.Contains(fn, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return false
		}
		s, ok := call.Fun.(*ast.SelectorExpr)
		return (ok && s.Sel.Name == "Run" && named(s.X)) || slices.ContainsFunc(call.Args, named)
	})
}
