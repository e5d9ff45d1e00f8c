package gotest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"

	"evolve/gates/syntax"
)

// condition is one new operand of && or ||. It is covered when a test has seen it
// decide: true beside ||, false beside &&. Written as an if it would be a branch, and a
// branch that no test takes is not verified.
type condition struct {
	expr ast.Expr
	op   token.Token
}

// decides returns the value by which the operand decides.
func (c condition) decides() bool { return c.op == token.LOR }

// key returns the operand's text with its operator.
func (c condition) key() string { return c.op.String() + " " + canonical(c.expr) }

// canonical returns the text of a condition without brackets, with operands and the
// sides of comparisons in a fixed order.
func canonical(e ast.Expr) string {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok {
		return syntax.Text(ast.Unparen(e))
	}
	x, op, y := canonical(b.X), b.Op, canonical(b.Y)
	switch op {
	case token.GTR:
		x, op, y = y, token.LSS, x
	case token.GEQ:
		x, op, y = y, token.LEQ, x
	case token.EQL, token.NEQ, token.LAND, token.LOR:
		x, y = min(x, y), max(x, y)
	}
	return fmt.Sprintf("(%s %s %s)", x, op, y)
}

// operands lists the operands of && and || below a node, those within others after
// them. It omits constants: they cannot be instrumented.
func operands(n ast.Node) []condition {
	var out []condition
	var all func(n ast.Node)
	var split func(e ast.Expr, op token.Token)
	split = func(e ast.Expr, op token.Token) {
		if b, ok := e.(*ast.BinaryExpr); ok && b.Op == op {
			split(b.X, op)
			split(b.Y, op)
			return
		}
		out = append(out, condition{e, op})
		all(e)
	}
	all = func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.GenDecl:
				return x.Tok != token.CONST
			case *ast.BinaryExpr:
				if x.Op == token.LAND || x.Op == token.LOR {
					split(x.X, x.Op)
					split(x.Y, x.Op)
					return false
				}
			}
			return true
		})
	}
	all(n)
	return out
}

// knownConditions returns the keys of the operands in the text of a function, or of
// several with one name; none for "".
func knownConditions(text string) map[string]bool {
	out := map[string]bool{}
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, parser.SkipObjectResolution)
	if err != nil {
		return out
	}
	for _, c := range operands(file) {
		out[c.key()] = true
	}
	return out
}

// leaves returns the operands that contain no other operands: no two of them begin at
// the same place.
func leaves(n ast.Node) []condition {
	return slices.DeleteFunc(operands(n), func(c condition) bool {
		b, ok := c.expr.(*ast.BinaryExpr)
		return ok && (b.Op == token.LAND || b.Op == token.LOR)
	})
}
