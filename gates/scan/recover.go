package scan

import (
	"go/ast"
	"go/token"
)

// swallowedPanics looks for calls to recover whose result is dropped or only compared with
// nil, so that any panic is ignored.
func swallowedPanics(f *file, found report) {
	for _, u := range f.units {
		fn, ok := u.node.(*ast.FuncDecl)
		if !ok {
			continue
		}
		kept := map[ast.Node]string{} // call → name of the variable that holds its result
		var calls []*ast.CallExpr
		uses := map[string]int{}
		ast.Inspect(fn, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.CallExpr:
				if id, ok := x.Fun.(*ast.Ident); ok && id.Name == "recover" && len(x.Args) == 0 {
					calls = append(calls, x)
					if _, ok := kept[x]; !ok {
						kept[x] = "?" // used in an expression
					}
				}
			case *ast.ExprStmt:
				kept[x.X] = "_"
			case *ast.AssignStmt:
				if id, ok := x.Lhs[0].(*ast.Ident); ok && len(x.Lhs) == 1 && len(x.Rhs) == 1 {
					kept[x.Rhs[0]] = id.Name
					uses[id.Name]--
				}
			case *ast.BinaryExpr:
				if isNil(x.Y) && (x.Op == token.NEQ || x.Op == token.EQL) {
					if id, ok := x.X.(*ast.Ident); ok {
						uses[id.Name]--
					} else {
						kept[x.X] = "_"
					}
				}
			case *ast.Ident:
				uses[x.Name]++
			}
			return true
		})
		for _, c := range calls {
			if name := kept[c]; name == "_" || (name != "?" && uses[name] <= 0) {
				found(c.Pos(), false, "any panic is recovered here and its value ignored")
			}
		}
	}
}

func isNil(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "nil"
}
