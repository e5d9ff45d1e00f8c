package scan

import "go/ast"

// earlyGoroutines looks for goroutines that start before the first test and run alongside
// all tests.
func earlyGoroutines(f *file, found report) {
	f.each(func(n ast.Node) {
		if _, ok := n.(*ast.GoStmt); ok && f.pkg.early[n] {
			found(n.Pos(), false, "a goroutine that is started when the package is loaded runs at the same time as every test")
		}
		call, ok := n.(*ast.CallExpr)
		if ok && f.pkg.early[n] && f.is(call.Fun, "time", "AfterFunc") {
			found(n.Pos(), false, "a timer that is started when the package is loaded runs at the same time as every test")
		}
	})
}

// finalizers looks for code that runs implicitly: once an object has become unreachable, or
// on a signal.
func finalizers(f *file, found report) {
	f.each(func(n ast.Node) {
		switch {
		case f.is(n, "runtime", "SetFinalizer", "AddCleanup"):
			found(n.Pos(), false, "it runs code at a time that the garbage collector chooses")
		case f.is(n, "os/signal", "Notify", "NotifyContext", "Ignore") && f.pkg.early[n]:
			found(n.Pos(), false, "signals are handled as soon as the package is loaded")
		}
	})
}
