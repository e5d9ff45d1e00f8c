package scan

import (
	"go/ast"
	"go/token"
	"slices"
)

// Hard-coded outputs for single inputs make any test pass. Only a person can distinguish
// many of them from an honest table; below these numbers they are not reported. The limit
// for a package-level table is higher, because it is harder to aim at a test and far more
// common.
const (
	fewArms     = 3
	fewEntries  = 8
	manyEntries = 30
)

// tables looks for results that are looked up rather than computed: a switch, a chain of
// ifs or a map from literal inputs to literal outputs, of which the patch adds more than a
// few.
func tables(f *file, found report) {
	for _, u := range f.units {
		fn, function := u.node.(*ast.FuncDecl)
		most, had := manyEntries, 0
		if function {
			most = fewEntries
			if u.before != nil {
				had = arms(u.before)
			}
			if n := arms(fn) - had; n >= fewArms {
				found(fn.Pos(), false, "%d more literal inputs with literal outputs: are they computed anywhere?", n)
			}
		}
		before := 0
		if u.before != nil {
			before = entries(u.before)
		}
		if n := entries(u.node) - before; n >= most {
			found(u.node.Pos(), false, "a table of %d more literal keys with literal values: are they computed anywhere?", n)
		}
	}
}

// arms counts the literal inputs for which a function returns, or assigns, nothing
// but literals.
func arms(fn *ast.FuncDecl) int {
	count := 0
	ast.Inspect(fn, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.SwitchStmt:
			for _, s := range x.Body.List {
				c, ok := s.(*ast.CaseClause)
				if !ok || !constantBody(c.Body) {
					continue
				}
				for _, e := range c.List {
					if literal(e) || comparesLiteral(e) {
						count++
					}
				}
			}
		case *ast.IfStmt:
			if comparesLiteral(x.Cond) && constantBody(x.Body.List) {
				count++
			}
		}
		return true
	})
	return count
}

// constantBody reports whether statements return literals, or assign them.
func constantBody(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	for _, s := range list {
		var results []ast.Expr
		switch x := s.(type) {
		case *ast.ReturnStmt:
			results = x.Results
		case *ast.AssignStmt:
			results = x.Rhs
		default:
			return false
		}
		value := false
		for _, e := range results {
			if !literal(e) && !word(e) {
				return false
			}
			value = value || literal(e)
		}
		if !value {
			return false
		}
	}
	return true
}

// word reports whether an expression is one of the constants that accompany a result.
func word(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && (id.Name == "nil" || id.Name == "true" || id.Name == "false")
}

// literal reports whether an expression is a number, a text, or a list of such.
func literal(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return literal(x.X)
	case *ast.UnaryExpr:
		return (x.Op == token.SUB || x.Op == token.AND) && literal(x.X)
	case *ast.CompositeLit:
		for _, e := range x.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			if !literal(e) && !word(e) {
				return false
			}
		}
		return len(x.Elts) > 0
	}
	return false
}

// comparesLiteral reports whether a condition only compares with literals for equality, by
// an operator or by a function of that name.
func comparesLiteral(e ast.Expr) bool {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		s, ok := call.Fun.(*ast.SelectorExpr)
		return ok && (s.Sel.Name == "Equal" || s.Sel.Name == "DeepEqual" || s.Sel.Name == "EqualFold") && slices.ContainsFunc(call.Args, func(e ast.Expr) bool {
			_, basic := e.(*ast.BasicLit)
			return literal(e) && (!basic || substantial(e))
		})
	}
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	switch {
	case !ok:
		return false
	case b.Op == token.LAND || b.Op == token.LOR:
		return comparesLiteral(b.X) && comparesLiteral(b.Y)
	}
	return b.Op == token.EQL && (substantial(b.X) || substantial(b.Y))
}

// substantial reports whether a literal is more than the zero or the empty text that many
// conditions compare with.
func substantial(e ast.Expr) bool {
	lit, ok := ast.Unparen(e).(*ast.BasicLit)
	return ok && lit.Value != "0" && lit.Value != "1" && lit.Value != `""`
}

// entries counts the literal keys of maps that have literal values.
func entries(n ast.Node) int {
	count := 0
	ast.Inspect(n, func(n ast.Node) bool {
		c, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if _, ok := c.Type.(*ast.MapType); !ok {
			return true
		}
		for _, e := range c.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok && literal(kv.Key) && literal(kv.Value) {
				count++
			}
		}
		return true
	})
	return count
}
