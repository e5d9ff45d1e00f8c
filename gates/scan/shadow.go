package scan

import (
	"go/ast"
	"slices"
	"strings"
)

// predeclared lists the predeclared names of the language. It leaves out those that
// legitimate packages also define: min, max, clear, new, any, print and println.
var predeclared = strings.Fields(`true false nil iota
	append cap copy delete len make panic recover real imag complex close
	bool byte error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr`)

// shadows looks for package-level names that redefine predeclared names, and for imports
// that make the name of a standard package refer to another package.
func shadows(f *file, found report) {
	said := func(name *ast.Ident) {
		if slices.Contains(predeclared, name.Name) {
			found(name.Pos(), false, "%s is redefined for the whole package", name.Name)
		}
	}
	for _, u := range f.units {
		switch x := u.node.(type) {
		case *ast.FuncDecl:
			if x.Recv == nil {
				said(x.Name)
			}
		case *ast.TypeSpec:
			said(x.Name)
		case *ast.ValueSpec:
			for _, name := range x.Names {
				said(name)
			}
		case *ast.ImportSpec:
			f.swapped(x, found)
		}
	}
}

// swapped reports an import whose name belonged to a standard package that the file
// imported before the patch.
func (f *file) swapped(i *ast.ImportSpec, found report) {
	p, before := importPath(i), f.before()
	if before == nil {
		return
	}
	for name, now := range f.imported {
		was := before.imported[name]
		if now == p && was != "" && was != now && !strings.Contains(strings.SplitN(was, "/", 2)[0], ".") && packageName(was) == name && was != "math/rand" {
			found(i.Pos(), false, "the import %s was %q and is now %q", name, was, p)
		}
	}
}
