package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strconv"
	"strings"
)

// operator is one kind of change, with the weight that determines how often it is drawn.
type operator struct {
	name   string
	weight int
	apply  func(*mutation) (change, bool)
}

// operators are the operators of Mutate. The weights come from searches for online bin
// packing.
var operators = append([]operator{
	{"guard", 6, (*mutation).guard},
	{"insert", 5, (*mutation).insert},
	{"delete", 5, (*mutation).remove},
	{"duplicate", 4, (*mutation).duplicate},
	{"swap", 2, (*mutation).swap},
}, expressionOperators...)

// expressionOperators change one expression.
var expressionOperators = []operator{
	{"constant", 16, (*mutation).constant},
	{"arithmetic", 6, (*mutation).arithmetic},
	{"comparison", 5, (*mutation).comparison},
	{"connective", 2, (*mutation).connective},
	{"variable", 10, (*mutation).variable},
	{"grow", 12, (*mutation).grow},
	{"drop", 7, (*mutation).drop},
	{"subtree", 7, (*mutation).subtree},
	{"hoist", 3, (*mutation).hoist},
	{"condition-grow", 4, (*mutation).conditionGrow},
	{"condition-drop", 4, (*mutation).conditionDrop},
	{"negate", 2, (*mutation).negate},
	{"call", 6, (*mutation).call},
	{"arguments", 1, (*mutation).arguments},
}

// pick draws one of the places for which keep returns true; a nil keep allows all places.
func (m *mutation) pick(list []place, keep func(place) bool) (place, bool) {
	if keep != nil {
		list = slices.DeleteFunc(slices.Clone(list), func(p place) bool { return !keep(p) })
	}
	if len(list) == 0 {
		return place{}, false
	}
	return list[m.rng.IntN(len(list))], true
}

// typ returns the type that an expression must have to replace the one at p.
func (m *mutation) typ(p place) types.Type { return types.Default(m.typeOf(p.node)) }

func (m *mutation) growerAt(p place) *grower {
	return m.view.grower(m.sites, p.outer.Pos(), m.rng)
}

// constant perturbs a number. It changes the number by a normal deviate on a linear or a
// logarithmic scale, or replaces it with 0, 1, −1 or a named constant. Whole numbers remain
// whole.
func (m *mutation) constant() (change, bool) {
	p, ok := m.pick(m.sites.literals, nil)
	if !ok {
		return change{}, false
	}
	lit, ok := p.node.(*ast.BasicLit)
	if !ok {
		return change{}, false
	}
	t := m.typeOf(p.node)
	x, err := strconv.ParseFloat(strings.ReplaceAll(lit.Value, "_", ""), 64)
	if err != nil { // another base
		n, err := strconv.ParseInt(lit.Value, 0, 64)
		if err != nil {
			return change{}, false
		}
		x = float64(n)
	}
	var to float64
	switch n := m.rng.IntN(12); {
	case n == 0:
		to = []float64{0, 1, -1}[m.rng.IntN(3)]
	case n == 1:
		var list []variable
		for _, c := range m.growerAt(p).vars {
			if _, constant := c.object.(*types.Const); constant && (types.Identical(c.typ, t) || fits(c, t)) {
				list = append(list, c)
			}
		}
		if len(list) == 0 || m.roleOf(p.outer, p.parents) != replaceable {
			return change{}, false
		}
		return m.replace(p, expr{list[m.rng.IntN(len(list))].text, primary}), true
	case n == 2:
		to = -x
	case integer(t) && n < 8:
		to = x + math.Round(m.rng.NormFloat64()*max(1, 0.1*x))
		if to == x {
			to += float64(2*m.rng.IntN(2) - 1)
		}
	case x == 0:
		to = rounded(m.rng.NormFloat64())
	case n < 6:
		to = rounded(x + 0.2*max(1, x)*m.rng.NormFloat64())
	default:
		to = rounded(x * math.Exp(0.7*m.rng.NormFloat64()))
	}
	if integer(t) {
		to = math.Round(to)
	}
	if to == x || math.Abs(to) > 1e15 || math.IsNaN(to) {
		return change{}, false
	}
	return m.replace(p, number(to, t)), true
}

// exchanged returns the change that replaces the operator of an operation with one of ops.
func (m *mutation) exchanged(p place, b *ast.BinaryExpr, ops ...token.Token) (change, bool) {
	ops = slices.DeleteFunc(ops, func(o token.Token) bool { return o == b.Op })
	op := ops[m.rng.IntN(len(ops))]
	return m.replace(p, binary(m.expr(b.X), op, m.expr(b.Y))), true
}

// Each list holds operators that may replace each other.
var (
	arithmetics = []token.Token{token.ADD, token.SUB, token.MUL, token.QUO}
	bits        = []token.Token{token.AND, token.OR, token.XOR, token.AND_NOT}
	connectives = []token.Token{token.LAND, token.LOR}
	orderings   = []token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ}
	equalities  = []token.Token{token.EQL, token.NEQ}
	assignments = []token.Token{token.ADD_ASSIGN, token.SUB_ASSIGN, token.MUL_ASSIGN, token.QUO_ASSIGN}
)

// arithmetic replaces the operator of an operation on numbers.
func (m *mutation) arithmetic() (change, bool) {
	if n := len(m.sites.assigns); n > 0 && m.rng.IntN(4) == 0 {
		a := m.sites.assigns[m.rng.IntN(n)]
		if !slices.Contains(assignments, a.Tok) || !numeric(m.typeOf(a.Lhs[0])) {
			return change{}, false
		}
		ops := slices.DeleteFunc(slices.Clone(assignments), func(o token.Token) bool { return o == a.Tok })
		op := ops[m.rng.IntN(len(ops))]
		at := m.offset(a.TokPos)
		left, right := m.text(a.Lhs[0]), m.text(a.Rhs[0])
		return change{[]edit{{at, at + len(a.Tok.String()), op.String()}}, left + " " + a.Tok.String() + " " + right, left + " " + op.String() + " " + right, at}, true
	}
	p, ok := m.pick(m.sites.binaries, func(p place) bool {
		b, ok := p.node.(*ast.BinaryExpr)
		return ok && (slices.Contains(arithmetics, b.Op) || slices.Contains(bits, b.Op) || b.Op == token.REM) && numeric(m.typeOf(b))
	})
	b, isBinary := p.node.(*ast.BinaryExpr)
	if !ok || !isBinary {
		return change{}, false
	}
	ops := slices.Clone(arithmetics)
	switch {
	case slices.Contains(bits, b.Op):
		ops = slices.Clone(bits)
	case integer(m.typeOf(b)) && m.info.Types[b.Y].Value == nil && m.rng.IntN(4) > 0:
		ops = ops[:3] // a variable divisor can be zero
	case integer(m.typeOf(b)):
		ops = append(ops, token.REM)
	}
	return m.exchanged(p, b, ops...)
}

// comparison replaces the operator of a comparison.
func (m *mutation) comparison() (change, bool) {
	p, ok := m.pick(m.sites.binaries, func(p place) bool {
		b, ok := p.node.(*ast.BinaryExpr)
		return ok && slices.Contains(orderings, b.Op)
	})
	b, isBinary := p.node.(*ast.BinaryExpr)
	if !ok || !isBinary {
		return change{}, false
	}
	if !is(m.typeOf(b.X), types.IsOrdered) || !is(m.typeOf(b.Y), types.IsOrdered) {
		return m.exchanged(p, b, slices.Clone(equalities)...)
	}
	ops := slices.Clone(orderings)
	if m.rng.IntN(4) > 0 {
		ops = ops[:4]
	}
	return m.exchanged(p, b, ops...)
}

// connective replaces && with ||, or || with &&.
func (m *mutation) connective() (change, bool) {
	p, ok := m.pick(m.sites.binaries, func(p place) bool {
		b, ok := p.node.(*ast.BinaryExpr)
		return ok && slices.Contains(connectives, b.Op)
	})
	b, isBinary := p.node.(*ast.BinaryExpr)
	if !ok || !isBinary {
		return change{}, false
	}
	return m.exchanged(p, b, slices.Clone(connectives)...)
}

// variable replaces a variable or number with a variable, constant, field or element of the
// same type.
func (m *mutation) variable() (change, bool) {
	p, ok := m.pick(m.sites.values, func(p place) bool {
		switch p.node.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.BasicLit:
			return true
		}
		return false
	})
	if !ok {
		return change{}, false
	}
	g := m.growerAt(p)
	e, ok := g.variable(m.typ(p))
	if numeric(m.typ(p)) && g.rng.IntN(6) == 0 {
		e, ok = g.converted(m.typ(p))
	}
	return m.replace(p, e), ok && e.text != m.text(p.node)
}

// term draws a place whose expression is a number.
func (m *mutation) term() (place, bool) {
	return m.pick(m.sites.values, func(p place) bool { return numeric(m.typeOf(p.node)) })
}

// grow adds a term: x becomes x op t or t op x.
func (m *mutation) grow() (change, bool) {
	p, ok := m.term()
	if !ok {
		return change{}, false
	}
	g, t, x := m.growerAt(p), m.typ(p), m.expr(p.node)
	depth := m.rng.IntN(3)
	if m.rng.IntN(4) > 0 {
		e, ok := g.operation(x, t, depth)
		return m.replace(p, e), ok
	}
	a, ok := g.value(t, depth)
	ops := arithmetics[:3]
	if float(t) {
		ops = arithmetics
	}
	return m.replace(p, binary(a, ops[m.rng.IntN(len(ops))], x)), ok
}

// drop replaces an operation or a call with one of its operands or arguments.
func (m *mutation) drop() (change, bool) {
	p, ok := m.pick(m.sites.values, func(p place) bool {
		return len(m.operands(p.node)) > 0 && !truth(m.typeOf(p.node))
	})
	if !ok {
		return change{}, false
	}
	list := m.operands(p.node)
	return m.replace(p, m.expr(list[m.rng.IntN(len(list))])), true
}

// operands returns those operands or arguments of an expression that have the type of the
// expression.
func (m *mutation) operands(x ast.Expr) []ast.Expr {
	var list []ast.Expr
	switch x := x.(type) {
	case *ast.BinaryExpr:
		list = []ast.Expr{x.X, x.Y}
	case *ast.UnaryExpr:
		list = []ast.Expr{x.X}
	case *ast.CallExpr:
		list = slices.Clone(x.Args)
	}
	return slices.DeleteFunc(list, func(y ast.Expr) bool { return !types.Identical(m.typeOf(y), m.typeOf(x)) })
}

// subtree replaces an expression with a new one of the same type.
func (m *mutation) subtree() (change, bool) {
	p, ok := m.pick(m.sites.values, func(p place) bool { return !is(m.typeOf(p.node), types.IsString) })
	if !ok {
		return change{}, false
	}
	e, ok := m.growerAt(p).value(m.typ(p), 1+m.rng.IntN(deepest))
	return m.replace(p, e), ok
}

// hoist replaces an expression with one of its subexpressions of the same type.
func (m *mutation) hoist() (change, bool) {
	p, ok := m.pick(m.sites.values, func(p place) bool {
		_, call := p.node.(*ast.CallExpr)
		_, operation := p.node.(*ast.BinaryExpr)
		return call || operation
	})
	if !ok {
		return change{}, false
	}
	direct := m.operands(p.node)
	inner, ok := m.pick(m.sites.values, func(q place) bool {
		return q.node != p.node && q.node.Pos() >= p.node.Pos() && q.node.End() <= p.node.End() &&
			types.Identical(m.typeOf(q.node), m.typeOf(p.node)) &&
			!slices.ContainsFunc(direct, func(x ast.Expr) bool { return ast.Unparen(x) == q.node })
	})
	if !ok {
		return change{}, false
	}
	return m.replace(p, m.expr(inner.node)), true
}

// conditionGrow adds a condition: c becomes c && d or c || d.
func (m *mutation) conditionGrow() (change, bool) {
	p, ok := m.pick(m.sites.conditions, nil)
	if !ok {
		return change{}, false
	}
	d, ok := m.growerAt(p).condition(m.typ(p), 1)
	return m.replace(p, binary(m.expr(p.node), connectives[m.rng.IntN(2)], d)), ok
}

// conditionDrop removes one side of && or ||, or removes an if statement but keeps the
// statements in it.
func (m *mutation) conditionDrop() (change, bool) {
	p, ok := m.pick(m.sites.conditions, func(p place) bool {
		b, ok := p.node.(*ast.BinaryExpr)
		return ok && slices.Contains(connectives, b.Op)
	})
	b, isBinary := p.node.(*ast.BinaryExpr)
	if ok && isBinary && m.rng.IntN(3) > 0 {
		return m.replace(p, m.expr([]ast.Expr{b.X, b.Y}[m.rng.IntN(2)])), true
	}
	if len(m.sites.ifs) == 0 {
		return change{}, false
	}
	s := m.sites.ifs[m.rng.IntN(len(m.sites.ifs))]
	at := m.offset(s.Pos())
	if s.Init != nil || len(s.Body.List) == 0 {
		return change{}, false
	}
	body := strings.TrimSpace(m.source[m.offset(s.Body.Lbrace)+1 : m.offset(s.Body.Rbrace)])
	if s.Else != nil {
		// Only one of the branches is kept.
		kept := "{" + body + "\n}"
		if m.rng.IntN(2) == 0 {
			kept = m.source[m.offset(s.Else.Pos()):m.offset(s.Else.End())]
		}
		if block, ok := strings.CutPrefix(kept, "{"); ok {
			kept = strings.TrimSpace(strings.TrimSuffix(block, "}"))
		}
		body = kept
	}
	if m.elseOf(s) {
		body = "{\n" + body + "\n}"
	}
	return change{[]edit{{at, m.offset(s.End()), body}}, m.text(s), body, at}, true
}

// elseOf reports whether an if statement is the else branch of another one.
func (m *mutation) elseOf(s *ast.IfStmt) bool {
	return slices.ContainsFunc(m.sites.ifs, func(o *ast.IfStmt) bool { return o.Else == ast.Stmt(s) })
}

// opposite maps each comparison to the comparison that holds exactly when the first one
// does not.
var opposite = map[token.Token]token.Token{
	token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
}

// negate negates a condition.
func (m *mutation) negate() (change, bool) {
	p, ok := m.pick(m.sites.conditions, nil)
	if !ok {
		return change{}, false
	}
	switch x := p.node.(type) {
	case *ast.BinaryExpr:
		if op, ok := opposite[x.Op]; ok {
			return m.replace(p, binary(m.expr(x.X), op, m.expr(x.Y))), true
		}
	case *ast.UnaryExpr:
		return m.replace(p, m.expr(x.X)), true
	}
	return m.replace(p, negated(m.expr(p.node))), true
}

// call wraps a number in a call: x becomes f(x) or f(x, t).
func (m *mutation) call() (change, bool) {
	p, ok := m.term()
	if !ok {
		return change{}, false
	}
	x := m.expr(p.node)
	e, ok := m.growerAt(p).called(m.typ(p), &x, 1)
	return m.replace(p, e), ok
}

// arguments exchanges two arguments of the same type, or the operands of an operation in
// which their order matters.
func (m *mutation) arguments() (change, bool) {
	ordered := []token.Token{token.SUB, token.QUO, token.REM, token.LSS, token.LEQ, token.GTR, token.GEQ}
	list := slices.Concat(m.sites.calls, m.sites.binaries)
	p, ok := m.pick(list, func(p place) bool {
		b, ok := p.node.(*ast.BinaryExpr)
		return !ok || slices.Contains(ordered, b.Op) && types.Identical(m.typeOf(b.X), m.typeOf(b.Y))
	})
	if !ok {
		return change{}, false
	}
	switch x := p.node.(type) {
	case *ast.BinaryExpr:
		return m.replace(p, binary(m.expr(x.Y), x.Op, m.expr(x.X))), true
	case *ast.CallExpr:
		i, j := m.rng.IntN(len(x.Args)), m.rng.IntN(len(x.Args))
		a, b := x.Args[min(i, j)], x.Args[max(i, j)]
		if i == j || !types.Identical(m.typeOf(a), m.typeOf(b)) {
			return change{}, false
		}
		text := m.source[m.offset(x.Pos()):m.offset(a.Pos())] + m.text(b) + m.source[m.offset(a.End()):m.offset(b.Pos())] + m.text(a) + m.source[m.offset(b.End()):m.offset(x.End())]
		return m.replace(p, expr{text, primary}), true
	}
	return change{}, false
}
