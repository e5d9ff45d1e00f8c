package rewrite

import (
	"go/ast"
	"go/format"
	"go/token"
	"slices"
	"strings"
	"unicode"

	foreign "evolve/runtime/text"
)

// edit replaces a range of the unit.
type edit struct {
	from, to int
	text     string
}

// change is a proposed change to a text.
type change struct {
	edits []edit
	// before and after show the code before and after the change, for its description; at
	// is the change's offset.
	before, after string
	at            int
}

// loosest, unary and primary are the precedences other than those of binary operators,
// which are 1 to 5.
const (
	loosest = 0
	unary   = token.UnaryPrec
	primary = token.HighestPrec
)

// expr is the source of an expression, with the precedence of its operator.
type expr struct {
	text string
	prec int
}

// under returns the source as an operand of an operator with the given precedence, in
// parentheses if necessary.
func (e expr) under(prec int) string {
	if e.prec < prec {
		return "(" + e.text + ")"
	}
	return e.text
}

// binary returns the operation that applies op to two expressions.
func binary(a expr, op token.Token, b expr) expr {
	p := op.Precedence()
	return expr{a.under(p) + " " + op.String() + " " + b.under(p+1), p}
}

// negated returns the condition that holds when the given condition does not.
func negated(e expr) expr { return expr{"!" + e.under(unary), unary} }

// call returns a call to a function.
func call(name string, args ...expr) expr {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = a.text
	}
	return expr{name + "(" + strings.Join(list, ", ") + ")", primary}
}

// expr returns the source of a node, without parentheses around it.
func (v *view) expr(x ast.Expr) expr {
	x = ast.Unparen(x)
	e := expr{v.text(x), primary}
	switch x := x.(type) {
	case *ast.BinaryExpr:
		e.prec = x.Op.Precedence()
	case *ast.UnaryExpr, *ast.StarExpr:
		e.prec = unary
	case *ast.FuncLit, *ast.CompositeLit:
		e.prec = loosest
	}
	return e
}

// place is an expression in the text, with its parentheses and ancestors.
type place struct {
	node    ast.Expr // without parentheses
	outer   ast.Expr // with them
	parents []ast.Node
}

// need returns the minimum precedence with which an expression can stand at the given
// place without parentheses.
func (p place) need() int {
	switch up := p.parents[len(p.parents)-1].(type) {
	case *ast.BinaryExpr:
		if up.X == p.outer {
			return up.Op.Precedence()
		}
		return up.Op.Precedence() + 1
	case *ast.UnaryExpr, *ast.StarExpr:
		return unary
	case *ast.SelectorExpr, *ast.TypeAssertExpr:
		return primary
	case *ast.IndexExpr:
		if up.X == p.outer {
			return primary
		}
	case *ast.SliceExpr:
		if up.X == p.outer {
			return primary
		}
	case *ast.CallExpr:
		if up.Fun == p.outer {
			return primary
		}
	}
	return loosest
}

// replace returns the change that replaces the expression at a place with another
// expression.
func (v *view) replace(p place, e expr) change {
	ed := edit{v.offset(p.outer.Pos()), v.offset(p.outer.End()), e.under(p.need())}
	c := change{edits: []edit{ed}, at: ed.from}
	// The description of a small expression also shows its surroundings.
	from, to := ed.from, ed.to
	for _, n := range slices.Backward(p.parents) {
		switch n.(type) {
		case *ast.BlockStmt, *ast.IfStmt, *ast.CaseClause, *ast.FuncDecl, *ast.GenDecl, *ast.DeclStmt, *ast.FuncLit, *ast.CompositeLit:
		default:
			a, b := v.offset(n.Pos()), v.offset(n.End())
			if b-a <= shownContext && !strings.Contains(v.source[a:b], "\n") {
				from, to = a, b
				continue
			}
		}
		break
	}
	c.before = v.source[from:to]
	c.after = v.source[from:ed.from] + ed.text + v.source[ed.to:to]
	return c
}

// shownContext and shownSide are maximum lengths in descriptions of changes: shownContext
// in bytes, shownSide in characters.
const (
	shownContext = 40
	shownSide    = 100
)

// apply returns the text with the given edits applied. The edits must not overlap.
func (u *unit) apply(edits []edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var b strings.Builder
	at := u.at
	for _, e := range edits {
		if e.from < at || e.to > u.end {
			return ""
		}
		b.WriteString(u.source[at:e.from])
		b.WriteString(e.text)
		at = e.to
	}
	b.WriteString(u.source[at:u.end])
	return b.String()
}

// describe returns a description of a change, on one line.
func (v *view) describe(c change) string {
	side := func(s string) string {
		return foreign.OneLine(foreign.Clip(strings.Join(strings.Fields(s), " "), shownSide, foreign.Runes, foreign.Mark))
	}
	line := "line " + itoa(v.line(c.at)) + ": "
	switch {
	case c.before == "":
		return line + "insert " + side(c.after)
	case c.after == "":
		return line + "delete " + side(c.before)
	}
	return line + side(c.before) + " → " + side(c.after)
}

// formatted formats a text as gofmt does.
func formatted(text string) (string, bool) {
	out, err := format.Source([]byte(text))
	if err != nil {
		return "", false
	}
	return string(out), true
}

// insertion returns the edit that inserts a statement into a list, before statement k.
func (v *view) insertion(l list, k int, statement string) edit {
	at, next := l.open, l.shut
	if k > 0 {
		at = v.offset(l.stmts[k-1].End())
	}
	if k < len(l.stmts) {
		next = v.offset(l.stmts[k].Pos())
	}
	if at == v.at && k == 0 && v.r.statements && l.top {
		return edit{at, at, indentation(v.source[at:]) + statement + "\n"}
	}
	if i := strings.IndexByte(v.source[at:next], '\n'); i >= 0 {
		return edit{at + i + 1, at + i + 1, statement + "\n"}
	}
	return edit{at, at, "\n" + statement + "\n"}
}

// indentation returns the indentation of the first line of s that is not blank.
func indentation(s string) string {
	s = s[:len(s)-len(strings.TrimLeftFunc(s, unicode.IsSpace))]
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// removal returns the edit that deletes a statement. If nothing else is on the statement's
// line, except for a comment at its end, the edit deletes the whole line.
func (v *view) removal(s ast.Stmt) edit {
	from, to := v.offset(s.Pos()), v.offset(s.End())
	start := v.at + strings.LastIndexByte(v.source[v.at:from], '\n') + 1
	end := v.end
	if i := strings.IndexByte(v.source[to:v.end], '\n'); i >= 0 {
		end = to + i + 1
	}
	if strings.TrimSpace(v.source[start:from]) != "" {
		return edit{from, to, ""}
	}
	rest := strings.TrimSpace(strings.TrimLeft(v.source[to:end], "; \t"))
	if rest == "" || strings.HasPrefix(rest, "//") {
		return edit{start, end, ""}
	}
	if strings.HasPrefix(strings.TrimSpace(v.source[to:end]), ";") {
		to += strings.IndexByte(v.source[to:end], ';') + 1
	}
	return edit{from, to, ""}
}
