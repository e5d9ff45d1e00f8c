package typed

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// computes reports whether a function of the patch's packages only computes: it reads
// no variable data, writes nothing and calls only functions of the same kind. The order
// of such a call and a guard does not matter.
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

// pure reports whether statements only compute.
func (r *reading) pure(body ast.Node) bool {
	local := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		if !ok {
			return false
		}
		v, ok := r.object(id).(*types.Var)
		return id.Name == "_" || ok && !global(v)
	}
	is := true
	ast.Inspect(body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.GoStmt, *ast.DeferStmt, *ast.SendStmt, *ast.SelectStmt, *ast.FuncLit:
			is = false
		case *ast.AssignStmt:
			for _, e := range x.Lhs {
				is = is && local(e)
			}
		case *ast.IncDecStmt:
			is = is && local(x.X)
		case *ast.UnaryExpr:
			is = is && x.Op != token.ARROW
		case *ast.StarExpr:
			if tv := r.info.Types[x]; !tv.IsType() {
				is = false
			}
		case *ast.SelectorExpr:
			if sel := r.info.Selections[x]; sel != nil && sel.Kind() == types.FieldVal && (sel.Indirect() || !local(x.X)) {
				is = false
			}
		case *ast.Ident:
			if v, ok := r.info.Uses[x].(*types.Var); ok && global(v) {
				is = is && types.Identical(v.Type(), types.Universe.Lookup("error").Type())
			}
		case *ast.CallExpr:
			if tv := r.info.Types[x.Fun]; tv.IsType() {
				return true
			}
			o := r.callee(x.Fun)
			name := nameOf(o)
			is = is && name != "" && (named(plain, name) && !strings.HasPrefix(name, "time.") || r.computes(o))
		}
		return is
	})
	return is
}
