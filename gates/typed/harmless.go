package typed

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"evolve/gates/syntax"
)

// computes reports whether a function in the patch's packages only computes: it reads no
// variable data, writes nothing, and calls only functions that do the same. The order of a
// guard and a call to such a function does not matter.
func (r *reading) computes(o types.Object) bool {
	in, name := r.home(o)
	if name == "" {
		return false
	}
	if in.harmless == nil {
		in.harmless = map[string]bool{}
	}
	known, ok := in.harmless[name]
	if !ok {
		in.harmless[name] = false // a recursive function counts as impure
		known = in.parts[name].body != nil && in.pure(in.parts[name].body)
		in.harmless[name] = known
	}
	return known
}

// pure reports whether statements only compute, as defined for computes.
func (r *reading) pure(body ast.Node) bool {
	local := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		if !ok {
			return false
		}
		v, ok := r.object(id).(*types.Var)
		return id.Name == "_" || ok && !global(v)
	}
	return !syntax.Contains(body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.GoStmt, *ast.DeferStmt, *ast.SendStmt, *ast.SelectStmt, *ast.FuncLit:
			return true
		case *ast.AssignStmt:
			return slices.ContainsFunc(x.Lhs, func(e ast.Expr) bool { return !local(e) })
		case *ast.IncDecStmt:
			return !local(x.X)
		case *ast.UnaryExpr:
			return x.Op == token.ARROW
		case *ast.StarExpr:
			return !r.info.Types[x].IsType()
		case *ast.SelectorExpr:
			sel := r.info.Selections[x]
			return sel != nil && sel.Kind() == types.FieldVal && (sel.Indirect() || !local(x.X))
		case *ast.Ident:
			v, ok := r.info.Uses[x].(*types.Var)
			return ok && global(v) && !types.Identical(v.Type(), types.Universe.Lookup("error").Type())
		case *ast.CallExpr:
			if r.info.Types[x.Fun].IsType() {
				return false
			}
			o := r.callee(x.Fun)
			name := nameOf(o)
			return name == "" || (!named(plain, name) || strings.HasPrefix(name, "time.")) && !r.computes(o)
		}
		return false
	})
}
