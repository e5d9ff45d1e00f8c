package typed

import (
	"fmt"
	"go/ast"
	values "go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"evolve/gates/syntax"
	foreign "evolve/runtime/text"
)

// Limits on how deeply an expression is followed, and on the length of its value as text.
const (
	deepest = 6
	longest = 300
)

// scope is the context in which an expression is evaluated: its package and, if the body of
// a function is inlined at a call, the values of the function's parameters.
type scope struct {
	*reading
	values map[*types.Var]string
	params map[*types.Var]string
}

// scopeOf returns the scope of a part, in which parameters are named by their positions.
func (r *reading) scopeOf(p part) scope {
	s := scope{r, map[*types.Var]string{}, map[*types.Var]string{}}
	if p.decl == nil {
		return s
	}
	n := 0
	for i, list := range []*ast.FieldList{p.decl.Recv, p.decl.Type.Params} {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			for _, id := range f.Names {
				v, ok := r.info.Defs[id].(*types.Var)
				switch {
				case !ok:
				case i == 0:
					s.params[v] = "receiver"
				default:
					s.params[v] = fmt.Sprintf("parameter %d", n+1)
				}
				n += i
			}
			if len(f.Names) == 0 {
				n += i
			}
		}
	}
	return s
}

// value returns the value of an expression as far as it can be followed. Constants are
// represented by their values, local variables by the values assigned to them, and
// parameters by their positions. As a result, the names of variables do not matter, but
// their values do.
func (s scope) value(e ast.Expr) string {
	return foreign.Clip(s.follow(e, 0, map[*types.Var]bool{}), longest, foreign.Mark)
}

func (s scope) follow(e ast.Expr, depth int, busy map[*types.Var]bool) string {
	if e == nil {
		return ""
	}
	if tv, ok := s.info.Types[e]; ok && tv.Value != nil && tv.Value.Kind() != values.Unknown {
		return tv.Value.ExactString()
	}
	next := func(e ast.Expr) string { return s.follow(e, depth+1, busy) }
	all := func(list []ast.Expr) string {
		out := make([]string, len(list))
		for i, e := range list {
			out[i] = next(e)
		}
		return strings.Join(out, ", ")
	}
	if depth > deepest*3 {
		return "…"
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		return next(x.X)
	case *ast.Ident:
		return s.variable(x, depth, busy)
	case *ast.SelectorExpr:
		if s.info.Selections[x] == nil {
			if o := s.object(x.Sel); o != nil {
				return nameOf(o)
			}
		}
		if set := s.setField(x, busy); set != nil {
			return next(set)
		}
		return next(x.X) + "." + x.Sel.Name
	case *ast.CallExpr:
		return next(x.Fun) + "(" + all(x.Args) + ")"
	case *ast.SliceExpr:
		return next(x.X) + "[" + next(x.Low) + ":" + next(x.High) + ":" + next(x.Max) + "]"
	case *ast.IndexExpr:
		return next(x.X) + "[" + next(x.Index) + "]"
	case *ast.StarExpr:
		return "*" + next(x.X)
	case *ast.UnaryExpr:
		return x.Op.String() + next(x.X)
	case *ast.BinaryExpr:
		return "(" + next(x.X) + " " + x.Op.String() + " " + next(x.Y) + ")"
	case *ast.KeyValueExpr:
		return syntax.Text(x.Key) + ": " + next(x.Value)
	case *ast.CompositeLit:
		return typeText(s.info.TypeOf(x)) + "{" + all(x.Elts) + "}"
	case *ast.TypeAssertExpr:
		return next(x.X) + ".(" + typeText(s.info.TypeOf(x)) + ")"
	case *ast.FuncLit:
		return "a function"
	}
	return syntax.Text(e)
}

// setField returns the value that a struct literal in the function gives to a field; nil if
// that is not known. The literal's other fields then do not affect the result.
func (s scope) setField(x *ast.SelectorExpr, busy map[*types.Var]bool) ast.Expr {
	e := ast.Unparen(x.X)
	if id, ok := e.(*ast.Ident); ok {
		v, ok := s.object(id).(*types.Var)
		if !ok || busy[v] || global(v) || s.values[v] != "" || len(s.defined[v]) != 1 || s.defined[v][0].result >= 0 {
			return nil
		}
		e = ast.Unparen(s.defined[v][0].from)
	}
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = ast.Unparen(u.X)
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && id.Name == x.Sel.Name {
				return kv.Value
			}
		}
	}
	return nil
}

func typeText(t types.Type) string {
	if t == nil {
		return "?"
	}
	return types.TypeString(t, func(p *types.Package) string { return p.Path() })
}

// variable returns the value of an identifier.
func (s scope) variable(id *ast.Ident, depth int, busy map[*types.Var]bool) string {
	o := s.object(id)
	v, ok := o.(*types.Var)
	switch {
	case o == nil:
		return id.Name
	case !ok || global(v) || v.IsField():
		return nameOf(o)
	case s.values[v] != "":
		return s.values[v]
	case s.params[v] != "" && len(s.defined[v]) == 0:
		return s.params[v]
	case busy[v]:
		return "itself"
	case depth > deepest || len(s.defined[v]) == 0:
		return "a " + typeText(v.Type())
	}
	busy[v] = true
	defer delete(busy, v)
	var values []string
	if p := s.params[v]; p != "" {
		values = append(values, p)
	}
	for _, d := range s.defined[v] {
		value := s.follow(d.from, depth+1, busy)
		switch {
		case d.ranges:
			value = fmt.Sprintf("each of %s #%d", value, d.result)
		case d.result >= 0:
			value = fmt.Sprintf("%s #%d", value, d.result)
		}
		if !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	slices.Sort(values)
	if len(values) == 1 {
		return values[0]
	}
	return "{" + strings.Join(values, " | ") + "}"
}
