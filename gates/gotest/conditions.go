package gotest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"

	"evolve/gates/syntax"
)

// canonical returns the text of a condition without superfluous parentheses, and with
// operands and the sides of comparisons in a fixed order.
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

// operands lists the operands of && and || below a node, each before the operands within
// it. An operand is covered if it was decisive in some test, that is, true in an || or
// false in an &&. The same code written with if statements would have a branch for it, and
// a branch that no test takes is not verified.
func operands(n ast.Node) []decision {
	return slices.DeleteFunc(decisions(n), func(d decision) bool { return d.op == token.ILLEGAL })
}

// leaves returns the operands that contain no other operands. No two of them begin at the
// same position.
func leaves(n ast.Node) []decision {
	return slices.DeleteFunc(operands(n), func(d decision) bool {
		b, ok := d.expr.(*ast.BinaryExpr)
		return ok && (b.Op == token.LAND || b.Op == token.LOR)
	})
}

// parseFunction parses the text of a function, or of several functions with the same name.
// It returns nil if the text does not parse.
func parseFunction(text string) *ast.File {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	return file
}

// knownConditions returns the keys of the operands in the text of a function; there are
// none for "".
func knownConditions(text string) map[string]bool {
	out := map[string]bool{}
	if file := parseFunction(text); file != nil {
		for _, d := range operands(file) {
			out[d.key()] = true
		}
	}
	return out
}
