package rewrite

import (
	"go/ast"
	"go/token"
	"math/rand/v2"
	"strings"
)

// Change is a new text of the block that an operator made from other texts, with a
// description of the change.
type Change struct {
	// Text is the new text of the block.
	Text string
	// Operator is the name of the operator.
	Operator string
	// Describes describes the change on one line, with its position and the code before and
	// after, such as "line 4: gap > 3 → gap >= 3". Lines are counted from the first line of
	// the text before the change.
	Describes string
}

// mostDraws and mostTries limit the search for a valid change.
const (
	mostDraws = 40 // of operators
	mostTries = 3  // of one operator
)

// mutation is the state of one changein the form that operators read.
type mutation struct {
	*view
	sites *sites
	rng   *rand.Rand
}

// Mutate returns a text changed by one operator, which is drawn at random. The text is any
// valid text of the block. Mutate returns false if the text is not valid or nothing in it
// can be changed. The result depends only on the text and on rng.
func (r *Rewriter) Mutate(text string, rng *rand.Rand) (Change, bool) {
	v := r.read(text)
	if v == nil {
		return Change{}, false
	}
	m := &mutation{v, v.sites(), rng}
	origins := []traits{v.traits()}
	for range mostDraws {
		o, _ := drawn(rng, operators, func(o operator) int { return o.weight })
		for range mostTries {
			c, ok := o.apply(m)
			if !ok {
				continue
			}
			if out, ok := v.finish(c, origins); ok {
				return Change{out, o.name, v.describe(c)}, true
			}
		}
	}
	return Change{}, false
}

// Renumber returns a text in which each occurrence of one number is replaced by another. It
// returns false if the result is not valid, or if the number does not occur. Both numbers
// are given in digits.
func (r *Rewriter) Renumber(text, from, to string) (Change, bool) {
	v := r.read(text)
	if v == nil {
		return Change{}, false
	}
	var c change
	for _, p := range v.sites().literals {
		if lit, ok := p.node.(*ast.BasicLit); ok && lit.Value == from {
			one := v.replace(p, expr{to, primary})
			one.edits = append(c.edits, one.edits...)
			c = one
		}
	}
	if len(c.edits) == 0 {
		return Change{}, false
	}
	out, ok := v.finish(c, []traits{v.traits()})
	return Change{out, "constant", v.describe(c)}, ok
}

// finish applies a change and returns the resulting text, or false if that text is not a
// valid result.
func (v *view) finish(c change, origins []traits) (string, bool) {
	text, ok := formatted(v.apply(c.edits))
	if !ok {
		return "", false
	}
	for range mostRepairs {
		u, reason := v.r.parseUnit(text)
		if reason != "" || u.size > v.r.most {
			return "", false
		}
		next, problems := v.r.check(u, v.r.context, true)
		unused, valid := v.r.unused(problems)
		if !valid {
			return "", false
		}
		if len(unused) > 0 {
			edits, ok := next.tidy(unused)
			if !ok {
				return "", false
			}
			if text, ok = formatted(u.apply(edits)); !ok {
				return "", false
			}
			continue
		}
		return text, v.accepts(next, origins)
	}
	return "", false
}

// accepts reports whether a text that type-checks is a valid result.
func (v *view) accepts(next *view, origins []traits) bool {
	if next.missing(v.r.exports) || next.missing(v.exports()) || !next.uses(v.r.needs) {
		return false
	}
	if normalGo(next.source[next.at:next.end]) == normalGo(v.source[v.at:v.end]) {
		return false
	}
	if next.general() != v.general() {
		_, problems := v.r.check(next.unit, v.r.whole, false)
		for _, p := range problems {
			if !v.r.accepted(p, v.r.knownWhole) {
				return false
			}
		}
	}
	return next.traits().within(origins)
}

// general returns the source of the constants, variables and types that the text declares
// at package level.
func (v *view) general() string {
	var b strings.Builder
	for _, d := range v.tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && v.covers(g) {
			b.WriteString(v.text(g))
		}
	}
	return b.String()
}

// uses reports whether the text uses all of the given imports.
func (v *view) uses(names []string) bool {
	if len(names) == 0 {
		return true
	}
	found := map[string]bool{}
	for _, d := range v.tree.Decls {
		selected(d, found)
	}
	for _, n := range names {
		if !found[n] {
			return false
		}
	}
	return true
}

// unusedVariable is the beginning of the type checker's report of an unused variable.
const unusedVariable = "declared and not used: "

// mostRepairs is the maximum number of passes in which unused variables are removed from
// a result.
const mostRepairs = 4

// unused returns the positions of unused variables, or false if there are other problems
// that the base does not have.
func (r *Rewriter) unused(problems []problem) ([]token.Pos, bool) {
	var list []token.Pos
	for _, p := range problems {
		switch {
		case p.inside && strings.HasPrefix(p.text, unusedVariable):
			list = append(list, p.pos)
		case !r.accepted(p, r.known):
			return nil, false
		}
	}
	return list, true
}

// tidy returns the edits that remove unused variables, or false if one of the variables
// cannot be removed without losing a side effect.
func (v *view) tidy(unused []token.Pos) ([]edit, bool) {
	gone := map[token.Pos]bool{}
	for _, p := range unused {
		gone[p] = true
	}
	var edits []edit
	removed := 0
	is := func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && gone[id.Pos()]
	}
	blank := func(x ast.Expr) { edits = append(edits, edit{v.offset(x.Pos()), v.offset(x.End()), "_"}) }
	v.walk(func(n ast.Node, parents []ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				return true
			}
			count := 0
			for _, x := range n.Lhs {
				if is(x) {
					count++
				}
			}
			removed += count
			switch {
			case count == 0:
			case count < len(n.Lhs):
				for _, x := range n.Lhs {
					if is(x) {
						blank(x)
					}
				}
			case len(parents) == 0 || !v.silent(n.Rhs...) || !inList(parents[len(parents)-1]):
				removed -= count // this variable remains a problem
			default:
				edits = append(edits, v.removal(n))
				return false
			}
		case *ast.RangeStmt:
			if n.Tok != token.DEFINE {
				return true
			}
			key, value := n.Key != nil && is(n.Key), n.Value != nil && is(n.Value)
			keyless := key || n.Key != nil && blankName(n.Key)
			switch {
			case keyless && (value || n.Value == nil): // for range x
				edits = append(edits, edit{v.offset(n.Key.Pos()), v.offset(n.Range), ""})
			case value: // for i := range x
				edits = append(edits, edit{v.offset(n.Key.End()), v.offset(n.Value.End()), ""})
			case key:
				blank(n.Key)
			}
			for _, is := range []bool{key, value} {
				if is {
					removed++
				}
			}
		case *ast.DeclStmt:
			g, ok := n.Decl.(*ast.GenDecl)
			if !ok || len(g.Specs) != 1 {
				return true
			}
			spec, ok := g.Specs[0].(*ast.ValueSpec)
			if ok && len(spec.Names) == 1 && gone[spec.Names[0].Pos()] && v.silent(spec.Values...) {
				edits = append(edits, v.removal(n))
				removed++
				return false
			}
		}
		return true
	})
	return edits, removed == len(unused)
}

func blankName(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "_"
}

// inList reports whether the children of a node include a list of statements.
func inList(n ast.Node) bool {
	switch n.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// silent reports whether expressions have no side effects.
func (v *view) silent(list ...ast.Expr) bool {
	ok := true
	for _, x := range list {
		ast.Inspect(x, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				ok = ok && v.harmlessCall(n)
			case *ast.UnaryExpr:
				ok = ok && n.Op != token.ARROW
			}
			return ok
		})
	}
	return ok
}
