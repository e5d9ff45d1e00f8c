package scan

import (
	"go/ast"
	"go/token"
	"time"
)

// soon is the minimum delay of a timer whose code is assumed to run only after the tests
// have ended.
const soon = 5 * time.Second

// laterCode looks for code that can behave differently once the tests are over: a timer
// with a long constant delay, or a start time that is saved for later comparison.
func laterCode(f *file, found report) {
	f.each(func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return
		}
		if f.is(call.Fun, "time", "AfterFunc") && len(call.Args) == 2 && f.duration(call.Args[0]) >= soon {
			found(n.Pos(), false, "it runs code after a delay of %s, when all tests have already ended", f.duration(call.Args[0]))
		}
		if f.is(call.Fun, "time", "Now") && f.pkg.early[n] {
			found(n.Pos(), false, "it records the program's start time, which is recent in every test")
		}
	})
}

// duration returns the value of a constant delay, which is a product of numbers and units
// of package time; 0 for anything else.
func (f *file) duration(e ast.Expr) time.Duration {
	switch x := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		return time.Duration(number(x))
	case *ast.BinaryExpr:
		if x.Op == token.MUL {
			return f.duration(x.X) * f.duration(x.Y)
		}
	case *ast.CallExpr:
		if f.is(x.Fun, "time", "Duration") && len(x.Args) == 1 {
			return f.duration(x.Args[0])
		}
	case *ast.SelectorExpr:
		for name, unit := range map[string]time.Duration{
			"Nanosecond": time.Nanosecond, "Microsecond": time.Microsecond, "Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour,
		} {
			if f.is(x, "time", name) {
				return unit
			}
		}
	}
	return 0
}
