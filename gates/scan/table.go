package scan

import (
	"go/ast"
	"go/token"
	"slices"
)

// The minimum numbers of literal results at which an addition is reported. Outputs that are
// hard-coded for individual inputs make any test pass, but often only a person can
// distinguish them from a legitimate table. The number for a package-level table,
// manyEntries, is higher, because such a table is harder to aim at a test and far more
// common.
const (
	fewArms     = 3
	fewEntries  = 8
	manyEntries = 30
)

// tables looks for results that are looked up rather than computed: a switch, a chain of if
// statements or a map that leads from literal inputs to literal outputs, if the patch adds
// more than a few entries to it.
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
				found(fn.Pos(), false, "%d more literal inputs with literal outputs: are the outputs computed anywhere?", n)
			}
		}
		before := 0
		if u.before != nil {
			before = entries(u.before)
		}
		if n := entries(u.node) - before; n >= most {
			found(u.node.Pos(), false, "a table with %d new entries whose keys and values are literals: are the values computed anywhere?", n)
		}
	}
}

// arms counts the literal inputs for which a function does nothing but return or assign
// literals.
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

// constantBody reports whether statements only return or assign literals.
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

// word reports whether an expression is nil, true or false. These constants often accompany
// a result.
func word(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && (id.Name == "nil" || id.Name == "true" || id.Name == "false")
}

// literal reports whether an expression is a literal number or text, or a composite literal
// of such values.
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

// comparesLiteral reports whether a condition consists only of comparisons for equality
// with literals, by an operator or by a function with a name such as Equal.
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

// substantial reports whether an expression is a literal other than 0, 1 or "", which
// occur in many comparisons.
func substantial(e ast.Expr) bool {
	lit, ok := ast.Unparen(e).(*ast.BasicLit)
	return ok && lit.Value != "0" && lit.Value != "1" && lit.Value != `""`
}

// entries counts the entries of map literals whose key and value are both literals.
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
