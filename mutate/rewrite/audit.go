package rewrite

import (
	"go/ast"
	constants "go/constant"
	"go/token"
	"go/types"
)

// traits counts those features of a text that a result must not have more often than its
// origin.
type traits struct {
	fixtures map[string]int
	effects  map[string]int // calls that may have side effects, channel operations, …
	suspect  map[string]int // expressions that go vet reports, or that are meaningless
}

// traits returns the traits of a text.
func (v *view) traits() traits {
	t := traits{v.fixtures(), map[string]int{}, map[string]int{}}
	v.walk(func(n ast.Node, parents []ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			t.effects["go"]++
		case *ast.DeferStmt:
			t.effects["defer"]++
		case *ast.SelectStmt:
			t.effects["select"]++
		case *ast.SendStmt:
			t.effects["send"]++
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				t.effects["receive"]++
			}
		case *ast.CallExpr:
			if !v.harmlessCall(n) {
				t.effects["call "+v.line1(n.Fun)]++
			}
			if b, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && (b.Name == "min" || b.Name == "max") && v.repeats(n.Args) {
				t.suspect[v.line1(n)]++
			}
		case *ast.BinaryExpr:
			if v.pointless(n, parents) {
				t.suspect[v.line1(n)]++
			}
		case *ast.AssignStmt:
			if n.Tok == token.ASSIGN {
				for i, x := range n.Lhs {
					if len(n.Lhs) == len(n.Rhs) && v.line1(x) == v.line1(ast.Unparen(n.Rhs[i])) {
						t.suspect["assign "+v.line1(n)]++
					}
				}
			}
			if (n.Tok == token.QUO_ASSIGN || n.Tok == token.REM_ASSIGN) && v.zero(n.Rhs[0]) {
				t.suspect[v.line1(n)]++
			}
		case *ast.BlockStmt:
			v.unreachable(n.List, t.suspect)
		case *ast.CaseClause:
			v.unreachable(n.Body, t.suspect)
		case *ast.IfStmt:
			if len(n.Body.List) == 0 && n.Else == nil {
				t.suspect["empty if"]++
			}
		}
		return true
	})
	return t
}

// within reports whether, for each feature, the result has no more occurrences than at
// least one of its origins.
func (t traits) within(origins []traits) bool {
	more := func(pick func(traits) map[string]int) bool {
		for key, n := range pick(t) {
			most := 0
			for _, o := range origins {
				most = max(most, pick(o)[key])
			}
			if n > most {
				return true
			}
		}
		return false
	}
	return !more(func(t traits) map[string]int { return t.fixtures }) &&
		!more(func(t traits) map[string]int { return t.effects }) &&
		!more(func(t traits) map[string]int { return t.suspect })
}

// harmlessCall reports whether a call is known to have no side effects.
func (v *view) harmlessCall(c *ast.CallExpr) bool {
	if v.info.Types[c.Fun].IsType() {
		return true
	}
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		if v.info.Types[fun].IsBuiltin() {
			return builtins[fun.Name]
		}
		o := v.info.Uses[fun]
		return o != nil && v.global(o) && v.pure(fun.Name)
	case *ast.SelectorExpr:
		x, ok := fun.X.(*ast.Ident)
		if !ok {
			return false
		}
		p, ok := v.info.Uses[x].(*types.PkgName)
		return ok && p.Imported().Path() == "math"
	}
	return false
}

// pointless reports whether an operation divides by a constant zero, or has a result that
// is known or equals one of its operands.
func (v *view) pointless(b *ast.BinaryExpr, parents []ast.Node) bool {
	x, left := ast.Unparen(b.X).(*ast.BasicLit)
	y, right := ast.Unparen(b.Y).(*ast.BasicLit)
	if left && right {
		return true
	}
	switch b.Op {
	case token.QUO, token.REM:
		if v.zero(b.Y) || right && v.one(y) {
			return true
		}
	case token.MUL:
		return left && (v.zero(x) || v.one(x)) || right && (v.zero(y) || v.one(y))
	case token.ADD:
		return left && v.zero(x) || right && v.zero(y)
	case token.LAND, token.LOR:
		if up, ok := parents[len(parents)-1].(*ast.BinaryExpr); ok && up.Op == b.Op {
			return false // already examined with the whole chain
		}
		return v.repeats(chain(b, b.Op)) || v.always(chain(b, b.Op), b.Op)
	case token.SUB:
		if right && v.zero(y) {
			return true
		}
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.AND, token.OR, token.XOR:
	default:
		return false
	}
	return v.line1(ast.Unparen(b.X)) == v.line1(ast.Unparen(b.Y))
}

// zero reports whether an expression is the constant 0. one reports whether it is the
// constant 1.
func (v *view) zero(x ast.Expr) bool { return v.is(x, 0) }
func (v *view) one(x ast.Expr) bool  { return v.is(x, 1) }

func (v *view) is(x ast.Expr, n int64) bool {
	c := v.info.Types[x].Value
	return c != nil && (c.Kind() == constants.Int || c.Kind() == constants.Float) && constants.Compare(c, token.EQL, constants.MakeInt64(n))
}

// chain returns the operands of a chain of operations with the same operator.
func chain(x ast.Expr, op token.Token) []ast.Expr {
	if b, ok := ast.Unparen(x).(*ast.BinaryExpr); ok && b.Op == op {
		return append(chain(b.X, op), chain(b.Y, op)...)
	}
	return []ast.Expr{ast.Unparen(x)}
}

// repeats reports whether at least two of the expressions are equal.
func (v *view) repeats(list []ast.Expr) bool {
	seen := map[string]bool{}
	for _, x := range list {
		text := v.line1(ast.Unparen(x))
		if seen[text] {
			return true
		}
		seen[text] = true
	}
	return false
}

// The method always reports whether a chain compares one expression with two constants in
// such a way that the result is known, as in x != 1 || x != 2.
func (v *view) always(list []ast.Expr, op token.Token) bool {
	compare := token.NEQ
	if op == token.LAND {
		compare = token.EQL
	}
	seen := map[string]bool{}
	for _, x := range list {
		if b, ok := x.(*ast.BinaryExpr); ok && b.Op == compare {
			sides := []ast.Expr{b.X, b.Y}
			if v.info.Types[b.X].Value != nil {
				sides[0], sides[1] = b.Y, b.X
			}
			if v.info.Types[sides[1]].Value == nil {
				continue
			}
			text := v.line1(sides[0])
			if seen[text] {
				return true
			}
			seen[text] = true
		}
	}
	return false
}

// unreachable counts statements that directly follow a statement after which nothing is
// executed.
func (v *view) unreachable(list []ast.Stmt, count map[string]int) {
	for i, s := range list {
		if i+1 < len(list) && leaves(s) {
			if _, ok := list[i+1].(*ast.LabeledStmt); !ok {
				count["unreachable "+v.line1(list[i+1])]++
			}
		}
	}
}

// leaves reports whether the statements that follow s in its list are never executed.
func leaves(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.BlockStmt:
		return len(s.List) > 0 && leaves(s.List[len(s.List)-1])
	case *ast.IfStmt:
		return s.Else != nil && leaves(s.Body) && leaves(s.Else)
	case *ast.ForStmt:
		return s.Cond == nil
	case *ast.ExprStmt:
		if c, ok := s.X.(*ast.CallExpr); ok {
			id, ok := c.Fun.(*ast.Ident)
			return ok && id.Name == "panic"
		}
	case *ast.SwitchStmt:
		whole := false
		for _, c := range s.Body.List {
			clause, ok := c.(*ast.CaseClause)
			if !ok || len(clause.Body) == 0 || !leaves(clause.Body[len(clause.Body)-1]) {
				return false
			}
			if b, ok := clause.Body[len(clause.Body)-1].(*ast.BranchStmt); ok && b.Tok == token.BREAK {
				return false
			}
			whole = whole || clause.List == nil
		}
		return whole
	}
	return false
}
