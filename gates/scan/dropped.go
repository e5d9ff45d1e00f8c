package scan

import (
	"go/ast"
	"slices"
)

// droppedErrors looks for functions that begin to discard the last result of a call,
// usually an error, although in the base they use all results of that call. A failure is
// then ignored.
func droppedErrors(f *file, found report) {
	for _, u := range f.units {
		if u.before == nil {
			continue
		}
		kept := map[string]int{}
		ast.Inspect(u.before, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if name := callee(call); name != "" {
					kept[name]++
				}
			}
			return true
		})
		for _, a := range drops(u.before) {
			kept[callee(a.Rhs[0].(*ast.CallExpr))] = 0
		}
		for _, a := range drops(u.node) {
			if name := callee(a.Rhs[0].(*ast.CallExpr)); kept[name] > 0 {
				found(a.Pos(), false, "the last result of %+q is discarded, although the base uses it", name)
			}
		}
	}
}

// callee returns the name of the called function, qualified as it is in the call; "" if it
// has no name.
func callee(call *ast.CallExpr) string {
	switch x := call.Fun.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		if id, ok := x.X.(*ast.Ident); ok {
			return id.Name + "." + x.Sel.Name
		}
		return "." + x.Sel.Name
	}
	return ""
}

// drops lists the assignments that discard the last result of a call but not all of its
// results.
func drops(n ast.Node) []*ast.AssignStmt {
	var out []*ast.AssignStmt
	ast.Inspect(n, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) < 2 || len(a.Rhs) != 1 {
			return true
		}
		_, call := a.Rhs[0].(*ast.CallExpr)
		if call && blank(a.Lhs[len(a.Lhs)-1]) && slices.ContainsFunc(a.Lhs, func(e ast.Expr) bool { return !blank(e) }) {
			out = append(out, a)
		}
		return true
	})
	return out
}

func blank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// callCounters looks for new package-level variables that are incremented. Code that counts
// its calls can behave differently once it has been called more often than tests would call
// it.
func callCounters(f *file, found report) {
	fresh := map[string]bool{}
	for _, u := range f.units {
		if v, ok := u.node.(*ast.ValueSpec); ok {
			for _, name := range v.Names {
				fresh[name.Name] = true
			}
		}
	}
	f.each(func(n ast.Node) {
		var e ast.Expr
		switch x := n.(type) {
		case *ast.IncDecStmt:
			e = x.X
		case *ast.CallExpr:
			if s, ok := x.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Add" && len(x.Args) == 1 {
				e = s.X
			}
		}
		if id, ok := e.(*ast.Ident); ok && fresh[id.Name] && !f.declares(id.Name) {
			found(n.Pos(), false, "it counts its calls in %+q", id.Name)
		}
	})
}
