package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"math/rand/v2"
)

// crossover is the operator's name in the changes that Cross returns.
const crossover = "crossover"

// crossing is the state of one crossover.
type crossing struct {
	*mutation           // of the text
	other     *mutation // of the text from which a part is taken
	// have holds the expressions and statements that the text already has; they are not
	// taken from the other text.
	have map[string]bool
}

// Cross returns a text in which an expression, a statement or a declaration is replaced by
// one of the same type from another text of the block. Variables that do not exist at the
// new position are replaced by other variables of their types. Cross returns false if one
// of the texts is not valid or no part can be taken from the other text.
func (r *Rewriter) Cross(text, other string, rng *rand.Rand) (Change, bool) {
	v, o := r.read(text), r.read(other)
	if v == nil || o == nil {
		return Change{}, false
	}
	x := &crossing{&mutation{v, v.sites(), rng}, &mutation{o, o.sites(), rng}, map[string]bool{}}
	v.walk(func(n ast.Node, _ []ast.Node) bool {
		switch n.(type) {
		case ast.Expr, ast.Stmt:
			x.have[v.line1(n)] = true
		}
		return true
	})
	origins := []traits{v.traits(), o.traits()}
	for range mostDraws {
		apply, _ := drawn(rng, crossings, func(c crossingKind) int { return c.weight })
		for range mostTries {
			c, ok := apply.apply(x)
			if !ok {
				continue
			}
			if out, ok := v.finish(c, origins); ok {
				return Change{out, crossover, v.describe(c)}, true
			}
		}
	}
	return Change{}, false
}

type crossingKind struct {
	weight int
	apply  func(*crossing) (change, bool)
}

var crossings = []crossingKind{
	{6, (*crossing).expression},
	{3, (*crossing).statement},
	{1, (*crossing).declaration},
}

// typeKey returns a type as text, which can be compared across two type checks.
func (v *view) typeKey(t types.Type) string {
	return types.TypeString(types.Default(t), v.qualifier)
}

// around returns the name of the function that contains the node with the given ancestors.
func around(parents []ast.Node) string {
	for _, n := range parents {
		if f, ok := n.(*ast.FuncDecl); ok {
			return f.Name.Name
		}
	}
	return ""
}

// expression takes an expression from the other text.
func (x *crossing) expression() (change, bool) {
	p, ok := x.pick(x.sites.values, nil)
	if !ok {
		return change{}, false
	}
	key, name := x.typeKey(x.typeOf(p.node)), around(p.parents)
	fits := func(q place) bool {
		return x.other.typeKey(x.other.typeOf(q.node)) == key && !x.have[x.other.line1(q.node)]
	}
	q, ok := x.pick(x.other.sites.values, func(q place) bool { return around(q.parents) == name && fits(q) })
	if !ok || x.rng.IntN(5) == 0 {
		if q, ok = x.pick(x.other.sites.values, fits); !ok {
			return change{}, false
		}
	}
	e := x.other.expr(q.node)
	e.text, ok = x.adapted(q.node, x.growerAt(p))
	return x.replace(p, e), ok && !x.have[oneLine(e.text)]
}

// adapted returns the source of a node of the other text; free variables that do not exist
// at the new position are replaced.
func (x *crossing) adapted(n ast.Node, g *grower) (string, bool) {
	var edits []edit
	o, ok := x.other, true
	from, to := o.offset(n.Pos()), o.offset(n.End())
	renamed := map[types.Object]string{}
	ast.Inspect(n, func(n ast.Node) bool {
		id, isName := n.(*ast.Ident)
		if !isName || !ok {
			return ok
		}
		obj := o.info.Uses[id]
		v, isVar := obj.(*types.Var)
		if obj == nil || obj.Parent() == types.Universe || isVar && v.IsField() {
			return true
		}
		if at := o.offset(obj.Pos()); int(obj.Pos()) >= o.file.Base() && at >= from && at < to {
			return true // declared within
		}
		if _, method := obj.(*types.Func); method && obj.Parent() == nil {
			return true
		}
		_, here := g.scope.LookupParent(id.Name, g.at)
		if here != nil && here.Type() != nil && obj.Type() != nil && x.typeKey(here.Type()) == o.typeKey(obj.Type()) {
			return true
		}
		if !isVar || !known(obj.Type()) {
			ok = false
			return false
		}
		name, known := renamed[obj]
		if !known {
			var list []variable
			for _, c := range g.vars {
				if _, isVar := c.object.(*types.Var); isVar && x.typeKey(c.typ) == o.typeKey(obj.Type()) {
					list = append(list, c)
				}
			}
			if len(list) == 0 {
				ok = false
				return false
			}
			name = list[x.rng.IntN(len(list))].text
			renamed[obj] = name
		}
		edits = append(edits, edit{o.offset(id.Pos()), o.offset(id.End()), name})
		return true
	})
	if !ok {
		return "", false
	}
	text, at := "", from
	for _, e := range edits { // in the order of the source
		text += o.source[at:e.from] + e.text
		at = e.to
	}
	return text + o.source[at:to], true
}

// statement takes a statement from the other text, either to replace a statement of the
// same kind or to insert it between two statements.
func (x *crossing) statement() (change, bool) {
	usable := func(s ast.Stmt) bool {
		switch s := s.(type) {
		case *ast.AssignStmt:
			return s.Tok != token.DEFINE
		case *ast.IfStmt, *ast.RangeStmt, *ast.ForStmt, *ast.SwitchStmt, *ast.BlockStmt, *ast.IncDecStmt, *ast.ReturnStmt, *ast.ExprStmt:
			return true
		}
		return false
	}
	from, j, ok := x.other.statement(func(l list, k int) bool { return usable(l.stmts[k]) })
	if !ok {
		return change{}, false
	}
	s := from.stmts[j]
	_, returns := s.(*ast.ReturnStmt)
	if returns || x.rng.IntN(2) == 0 {
		to, k, ok := x.mutation.statement(func(l list, k int) bool { return sameKind(l.stmts[k], s) })
		if !ok {
			return change{}, false
		}
		old := to.stmts[k]
		text, ok := x.adapted(s, x.view.grower(x.sites, old.Pos(), x.rng))
		at, end := x.offset(old.Pos()), x.offset(old.End())
		return change{[]edit{{at, end, text}}, x.source[at:end], text, at}, ok && !x.have[oneLine(text)]
	}
	to, k, ok := x.spot()
	if !ok {
		return change{}, false
	}
	text, ok := x.adapted(s, x.view.grower(x.sites, x.position(to, k), x.rng))
	return x.inserted(to, k, text), ok && !x.have[oneLine(text)]
}

// sameKind reports whether two statements are of the same kind.
func sameKind(a, b ast.Stmt) bool {
	switch a := a.(type) {
	case *ast.AssignStmt:
		b, ok := b.(*ast.AssignStmt)
		return ok && (a.Tok == token.DEFINE) == (b.Tok == token.DEFINE)
	case *ast.IfStmt:
		_, ok := b.(*ast.IfStmt)
		return ok
	case *ast.RangeStmt:
		_, ok := b.(*ast.RangeStmt)
		return ok
	case *ast.ForStmt:
		_, ok := b.(*ast.ForStmt)
		return ok
	case *ast.SwitchStmt:
		_, ok := b.(*ast.SwitchStmt)
		return ok
	case *ast.IncDecStmt:
		_, ok := b.(*ast.IncDecStmt)
		return ok
	case *ast.ReturnStmt:
		_, ok := b.(*ast.ReturnStmt)
		return ok
	case *ast.ExprStmt:
		_, ok := b.(*ast.ExprStmt)
		return ok
	}
	return false
}

// declaration takes the declaration of a function, of constants or of variables from the
// other text.
func (x *crossing) declaration() (change, bool) {
	if x.r.statements {
		return change{}, false
	}
	type pair struct{ own, other ast.Decl }
	var list []pair
	for _, d := range x.tree.Decls {
		key := declKey(d)
		if !x.covers(d) || key == "" {
			continue
		}
		for _, o := range x.other.tree.Decls {
			if x.other.covers(o) && declKey(o) == key && x.line1(d) != x.other.line1(o) {
				list = append(list, pair{d, o})
			}
		}
	}
	if len(list) == 0 || len(x.tree.Decls) < 2 {
		return change{}, false
	}
	p := list[x.rng.IntN(len(list))]
	from, to := x.offset(p.own.Pos()), x.offset(p.own.End())
	text := x.other.source[x.other.offset(p.other.Pos()):x.other.offset(p.other.End())]
	return change{[]edit{{from, to, text}}, x.source[from:to], text, from}, true
}

// declKey identifies a declaration; it is empty for types.
func declKey(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		key := "func " + d.Name.Name
		if d.Recv != nil && len(d.Recv.List) > 0 {
			key += " " + types.ExprString(d.Recv.List[0].Type)
		}
		return key
	case *ast.GenDecl:
		if d.Tok != token.CONST && d.Tok != token.VAR {
			return ""
		}
		key := d.Tok.String()
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				for _, n := range v.Names {
					key += " " + n.Name
				}
			}
		}
		return key
	}
	return ""
}
