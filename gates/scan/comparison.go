package scan

import (
	"go/ast"
	"slices"
)

// comparing lists the methods with which libraries and tests compare and print values.
var comparing = []string{"Is", "As", "Equal", "Format", "GoString"}

// comparisons looks for new methods by which a type decides how a test compares its values.
// An error that equals every other error passes every test; so does an error that wraps
// several others.
func comparisons(f *file, found report) {
	for _, u := range f.units {
		fn, ok := u.node.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || u.before != nil {
			continue
		}
		if slices.Contains(comparing, fn.Name.Name) || fn.Name.Name == "Unwrap" && several(fn) {
			found(fn.Pos(), false, "the method %s determines how tests compare values of its type", fn.Name.Name)
		}
	}
}

// several reports whether the first result of a function is a slice or an array.
func several(fn *ast.FuncDecl) bool {
	if fn.Type.Results == nil || len(fn.Type.Results.List) == 0 {
		return false
	}
	_, list := fn.Type.Results.List[0].Type.(*ast.ArrayType)
	return list
}
