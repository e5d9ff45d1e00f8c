package scan

import (
	"go/ast"
	"go/token"
)

// sentinels looks for package-level errors that lose their value or get the value of
// another error. Functions that return such an error then report no error or a different
// one, although errors.Is still matches.
func sentinels(f *file, found report) {
	if f.was == nil {
		return
	}
	made := map[string]bool{}
	before := f.before()
	eachVariable(f.was, func(name *ast.Ident, value ast.Expr) {
		call, ok := value.(*ast.CallExpr)
		made[name.Name] = ok && (before.is(call.Fun, "errors", "New") || before.is(call.Fun, "fmt", "Errorf"))
	})
	eachVariable(f.now, func(name *ast.Ident, value ast.Expr) {
		if _, call := value.(*ast.CallExpr); made[name.Name] && !call {
			found(name.Pos(), false, "%+q is no longer a distinct error", name.Name)
		}
	})
}

// eachVariable visits the package-level variables of a file, each with its value, or nil if
// it has none.
func eachVariable(a *ast.File, visit func(name *ast.Ident, value ast.Expr)) {
	nodes, kinds := declarations(a)
	for k, n := range nodes {
		v, ok := n.(*ast.ValueSpec)
		if !ok || kinds[k] != token.VAR {
			continue
		}
		for i, name := range v.Names {
			if i < len(v.Values) {
				visit(name, v.Values[i])
			} else {
				visit(name, nil)
			}
		}
	}
}
