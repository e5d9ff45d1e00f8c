package scan

import (
	"go/ast"
	"slices"
)

// comparing are the methods by which libraries, and tests with them, ask values
// whether they are alike, and what they look like.
var comparing = []string{"Is", "As", "Equal", "Format", "GoString"}

// comparisons looks for methods that a type gets by which it answers for itself when a
// test compares it. An error that says it is every other one passes every test. An
// error with several others inside is such a one as well.
func comparisons(f *file, found report) {
	for _, u := range f.units {
		fn, ok := u.node.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || u.before != nil {
			continue
		}
		if slices.Contains(comparing, fn.Name.Name) || fn.Name.Name == "Unwrap" && several(fn) {
			found(fn.Pos(), false, "with the method %s a value answers for itself when a test compares it", fn.Name.Name)
		}
	}
}

// several tells whether a function has a list as its result.
func several(fn *ast.FuncDecl) bool {
	if fn.Type.Results == nil || len(fn.Type.Results.List) == 0 {
		return false
	}
	_, list := fn.Type.Results.List[0].Type.(*ast.ArrayType)
	return list
}
