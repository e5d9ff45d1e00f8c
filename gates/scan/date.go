package scan

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"evolve/gates/syntax"
)

// dates looks for code that can behave differently after a certain day: a function that
// reads the clock and contains a fixed date, or one that compares a part of the time with a
// constant.
func dates(f *file, found report) {
	for _, u := range f.units {
		asks := syntax.Contains(u.node, func(n ast.Node) bool { return f.is(n, "time", "Now", "Since", "Until") })
		ast.Inspect(u.node, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.CallExpr:
				if asks && f.fixedDate(x) {
					found(n.Pos(), false, "a fixed date in a function that reads the clock")
				}
			case *ast.BinaryExpr:
				if compares(x.Op) && (f.clockPart(x.X, asks) && number(x.Y) > 0 || f.clockPart(x.Y, asks) && number(x.X) > 0) {
					found(n.Pos(), false, "a part of the current time is compared with a constant")
				}
			}
			return true
		})
	}
}

// fixedDate reports whether a call makes a time from constants only.
func (f *file) fixedDate(c *ast.CallExpr) bool {
	switch {
	case f.is(c.Fun, "time", "Date") && len(c.Args) > 0:
		return number(c.Args[0]) >= 1990
	case f.is(c.Fun, "time", "Unix", "UnixMilli", "UnixMicro") && len(c.Args) > 0:
		return number(c.Args[0]) >= 1e9
	case f.is(c.Fun, "time", "Parse", "ParseInLocation") && len(c.Args) > 1:
		value, ok := f.text(c.Args[1])
		return ok && len(value) > 0
	}
	return false
}

// clockPart reports whether an expression is a calendar part of a time, or its Unix time.
// now reports whether the function reads the current time; if it does not, only the year
// and the Unix time count, because these are the parts usually taken from a time that is
// passed in.
func (f *file) clockPart(e ast.Expr, now bool) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) > 0 {
		return false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	switch s.Sel.Name {
	case "Year", "Unix", "UnixNano", "UnixMilli", "UnixMicro":
		return true
	case "YearDay", "Month", "Day":
		return now
	}
	return false
}

func compares(op token.Token) bool {
	switch op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
		return true
	}
	return false
}

// number returns the value of a number literal, or 0 for anything else.
func number(e ast.Expr) float64 {
	lit, ok := ast.Unparen(e).(*ast.BasicLit)
	if !ok || (lit.Kind != token.INT && lit.Kind != token.FLOAT) {
		return 0
	}
	text := strings.ReplaceAll(lit.Value, "_", "")
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return float64(n)
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return n
}
