package source

import "go/ast"

// FuncName returns the usual name of a Go function: for a method, the name of the
// receiver's type, without its pointer and type parameters, followed by the method's name.
func FuncName(f *ast.FuncDecl) string {
	if f.Recv.NumFields() == 0 {
		return f.Name.Name
	}
	return receiver(f.Recv.List[0].Type) + "." + f.Name.Name
}
