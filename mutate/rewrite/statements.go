package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// spot draws a position between statements, and returns it as a list and the index of the
// statement that follows. It does not draw a position after a statement that leaves the
// list, such as a return statement.
func (m *mutation) spot() (list, int, bool) {
	lists := slices.DeleteFunc(slices.Clone(m.sites.lists), func(l list) bool { return m.frozen(l) })
	if len(lists) == 0 {
		return list{}, 0, false
	}
	l := lists[m.rng.IntN(len(lists))]
	last := len(l.stmts)
	if last > 0 && leaves(l.stmts[last-1]) {
		last--
	}
	return l, m.rng.IntN(last + 1), true
}

// frozen reports whether a list is in a function that must not change.
func (m *mutation) frozen(l list) bool {
	for _, n := range l.parents {
		if f, ok := n.(*ast.FuncDecl); ok && m.still[f] {
			return true
		}
	}
	return false
}

// position returns the source position of a spot between statements.
func (m *mutation) position(l list, k int) token.Pos {
	switch {
	case k < len(l.stmts):
		return l.stmts[k].Pos()
	case k > 0:
		return l.stmts[k-1].End()
	}
	return m.file.Pos(l.open)
}

// inserted returns the change that inserts a statement.
func (m *mutation) inserted(l list, k int, statement string) change {
	e := m.insertion(l, k, statement)
	return change{[]edit{e}, "", statement, min(e.from, m.end)}
}

// guard inserts an if statement that assigns, returns, breaks or continues, or wraps a
// statement in an if statement.
func (m *mutation) guard() (change, bool) {
	l, k, ok := m.spot()
	if !ok {
		return change{}, false
	}
	g := m.view.grower(m.sites, m.position(l, k), m.rng)
	if !g.visible("bool") {
		return change{}, false
	}
	cond, ok := g.condition(types.Typ[types.Bool], 1+m.rng.IntN(2))
	if !ok {
		return change{}, false
	}
	if k < len(l.stmts) && m.rng.IntN(4) == 0 {
		s := l.stmts[k]
		switch s.(type) {
		case *ast.AssignStmt, *ast.IncDecStmt, *ast.IfStmt, *ast.ExprStmt, *ast.RangeStmt, *ast.SwitchStmt:
		default:
			return change{}, false
		}
		from, to := m.offset(s.Pos()), m.offset(s.End())
		text := "if " + cond.text + " {\n" + m.source[from:to] + "\n}"
		return change{[]edit{{from, to, text}}, m.source[from:to], text, from}, true
	}
	var body string
	switch n := m.rng.IntN(10); {
	case n < 2:
		body, ok = m.returned(g, l)
	case n < 4:
		body, ok = m.branch(l)
	default:
		body, ok = m.assigned(g, l)
	}
	return m.inserted(l, k, "if "+cond.text+" {\n"+body+"\n}"), ok
}

// insert inserts an assignment.
func (m *mutation) insert() (change, bool) {
	l, k, ok := m.spot()
	if !ok {
		return change{}, false
	}
	body, ok := m.assigned(m.view.grower(m.sites, m.position(l, k), m.rng), l)
	return m.inserted(l, k, body), ok
}

// assigned returns an assignment to one of the targets to which the function already
// assigns, or to one of the function's variables.
func (m *mutation) assigned(g *grower, l list) (string, bool) {
	type target struct {
		text   string
		typ    types.Type
		weight int
	}
	var list []target
	for _, p := range m.sites.targets {
		if m.sameMeaning(p.node, g.scope, g.at) && !blankName(p.node) {
			list = append(list, target{m.text(p.node), m.typeOf(p.node), 3})
		}
	}
	for _, x := range g.vars {
		o, ok := x.object.(*types.Var)
		if ok && !o.IsField() && !m.global(o) && (numeric(o.Type()) || truth(o.Type())) && !controls(l, m.view, o) {
			list = append(list, target{x.text, o.Type(), 1})
		}
	}
	t, ok := drawn(m.rng, list, func(t target) int { return t.weight })
	if !ok {
		return "", false
	}
	if numeric(t.typ) && m.rng.IntN(2) == 0 {
		op := assignments[m.rng.IntN(len(assignments))]
		e, ok := g.value(t.typ, m.rng.IntN(3))
		if integer(t.typ) && op == token.QUO_ASSIGN {
			e, ok = g.literal(t.typ), true
		}
		return t.text + " " + op.String() + " " + e.text, ok
	}
	e, ok := g.value(t.typ, 1+m.rng.IntN(2))
	return t.text + " = " + e.text, ok
}

// controls reports whether a variable occurs in the header of a loop that contains a list.
func controls(l list, v *view, o types.Object) bool {
	for _, n := range l.parents {
		f, ok := n.(*ast.ForStmt)
		if !ok {
			continue
		}
		for _, part := range []ast.Node{f.Init, f.Cond, f.Post} {
			if part != nil && v.variables(part)[o] {
				return true
			}
		}
	}
	return false
}

// branch returns a continue or break statement; it returns false if the list is not in a
// loop.
func (m *mutation) branch(l list) (string, bool) {
	for _, n := range slices.Backward(l.parents) {
		switch n.(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			return "", false
		case *ast.RangeStmt, *ast.ForStmt:
			if m.rng.IntN(4) == 0 {
				return "break", true
			}
			return "continue", true
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			return "break", true
		}
	}
	return "", false
}

// returned returns a return statement with values for the function around a list.
func (m *mutation) returned(g *grower, l list) (string, bool) {
	var s *types.Signature
	for _, n := range slices.Backward(l.parents) {
		switch n := n.(type) {
		case *ast.FuncLit:
			s, _ = m.typeOf(n).(*types.Signature)
		case *ast.FuncDecl:
			if f := m.info.Defs[n.Name]; f != nil {
				s, _ = f.Type().(*types.Signature)
			}
		}
		if s != nil {
			break
		}
	}
	if s == nil {
		return "", false
	}
	var results []string
	for r := range s.Results().Variables() {
		var e expr
		var ok bool
		switch t := r.Type(); {
		case is(t, types.IsString) || !handled(t):
			e, ok = g.variable(t)
			if !ok && types.Identical(t, types.Universe.Lookup("error").Type()) && g.visible("nil") {
				e, ok = expr{"nil", primary}, true
			}
		default:
			e, ok = g.value(t, 1+m.rng.IntN(2))
		}
		if !ok {
			return "", false
		}
		results = append(results, e.text)
	}
	return strings.TrimSpace("return " + strings.Join(results, ", ")), true
}

// statement draws a statement from the lists that may change. It considers only
// statements for which keep returns true.
func (m *mutation) statement(keep func(l list, k int) bool) (list, int, bool) {
	type at struct {
		l list
		k int
	}
	var all []at
	for _, l := range m.sites.lists {
		if m.frozen(l) {
			continue
		}
		for k := range l.stmts {
			if keep(l, k) {
				all = append(all, at{l, k})
			}
		}
	}
	if len(all) == 0 {
		return list{}, 0, false
	}
	a := all[m.rng.IntN(len(all))]
	return a.l, a.k, true
}

// remove deletes a statement.
func (m *mutation) remove() (change, bool) {
	l, k, ok := m.statement(func(l list, k int) bool {
		switch s := l.stmts[k].(type) {
		case *ast.AssignStmt:
			return s.Tok != token.DEFINE
		case *ast.DeclStmt, *ast.EmptyStmt:
			return false
		}
		return true
	})
	if !ok {
		return change{}, false
	}
	s := l.stmts[k]
	return change{[]edit{m.removal(s)}, m.text(s), "", m.offset(s.Pos())}, true
}

// duplicate repeats a statement with one of its expressions changed.
func (m *mutation) duplicate() (change, bool) {
	l, k, ok := m.statement(func(l list, k int) bool {
		switch s := l.stmts[k].(type) {
		case *ast.AssignStmt:
			return s.Tok != token.DEFINE
		case *ast.IfStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.BlockStmt:
			return !leaves(s)
		}
		return false
	})
	if !ok {
		return change{}, false
	}
	s := l.stmts[k]
	from, to := m.offset(s.Pos()), m.offset(s.End())
	inner := &mutation{m.view, m.sites.within(s), m.rng}
	for range mostTries {
		o, _ := drawn(m.rng, expressionOperators, func(o operator) int { return o.weight })
		c, ok := o.apply(inner)
		if !ok || len(c.edits) != 1 || c.edits[0].from < from || c.edits[0].to > to {
			continue
		}
		e := c.edits[0]
		return m.inserted(l, k+1, m.source[from:e.from]+e.text+m.source[e.to:to]), true
	}
	return change{}, false
}

// within returns the sites that are in a statement.
func (s *sites) within(n ast.Stmt) *sites {
	in := func(x ast.Node) bool { return x.Pos() >= n.Pos() && x.End() <= n.End() }
	places := func(list []place) []place {
		return slices.DeleteFunc(slices.Clone(list), func(p place) bool { return !in(p.outer) })
	}
	return &sites{
		literals: places(s.literals), values: places(s.values), conditions: places(s.conditions), reused: s.reused,
		binaries: places(s.binaries), calls: places(s.calls), targets: s.targets,
		assigns: slices.DeleteFunc(slices.Clone(s.assigns), func(a *ast.AssignStmt) bool { return !in(a) }),
	}
}

// swap exchanges two neighbouring statements.
func (m *mutation) swap() (change, bool) {
	l, k, ok := m.statement(func(l list, k int) bool {
		return k+1 < len(l.stmts) && !leaves(l.stmts[k+1])
	})
	if !ok {
		return change{}, false
	}
	a, b := l.stmts[k], l.stmts[k+1]
	af, at, bf, bt := m.offset(a.Pos()), m.offset(a.End()), m.offset(b.Pos()), m.offset(b.End())
	first, second := m.source[af:at], m.source[bf:bt]
	return change{[]edit{{af, at, second}, {bf, bt, first}}, first + "; " + second, second + "; " + first, af}, true
}
