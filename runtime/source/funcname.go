package source

import "go/ast"

// FuncName returns the usual name of a Go function: a method's name follows that of its
// receiver's type, without its pointer and its type parameters.
func FuncName(f *ast.FuncDecl) string {
	if f.Recv.NumFields() == 0 {
		return f.Name.Name
	}
	return receiver(f.Recv.List[0].Type) + "." + f.Name.Name
}
