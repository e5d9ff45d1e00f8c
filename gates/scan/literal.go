package scan

import (
	"go/ast"
	"go/token"
	"strconv"
)

// text returns the value of a constant text: a literal, a named constant in the package, or
// a concatenation of them, so that "test" + ".v" is "test.v".
func (f *file) text(n ast.Node) (string, bool) {
	switch x := n.(type) {
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			s, err := strconv.Unquote(x.Value)
			return s, err == nil
		}
	case *ast.Ident:
		s, ok := f.pkg.constants[x.Name]
		return s, ok
	case *ast.ParenExpr:
		return f.text(x.X)
	case *ast.BinaryExpr:
		if x.Op != token.ADD {
			return "", false
		}
		a, ok := f.text(x.X)
		b, also := f.text(x.Y)
		return a + b, ok && also
	}
	return "", false
}

// eachText visits the constant texts in a subtree. It visits a concatenation of texts as a
// whole, not its parts.
func (f *file) eachText(n ast.Node, visit func(n ast.Node, value string)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field: // the names and tags of fields are not visited
			f.eachText(x.Type, visit)
			return false
		case *ast.SelectorExpr: // the selected name is not a constant of this package
			f.eachText(x.X, visit)
			return false
		case *ast.BasicLit, *ast.Ident, *ast.BinaryExpr:
			if value, ok := f.text(n); ok {
				visit(n, value)
				return false
			}
		}
		return true
	})
}

// findConstants collects the text constants from all files of the package, keyed by name.
// It leaves out names that are declared more than once.
func (p *pkg) findConstants() {
	p.constants = map[string]string{}
	twice := map[string]bool{}
	for _, f := range p.files {
		ast.Inspect(f.now, func(n ast.Node) bool {
			d, ok := n.(*ast.GenDecl)
			if !ok || d.Tok != token.CONST {
				return true
			}
			for _, s := range d.Specs {
				v, ok := s.(*ast.ValueSpec)
				if !ok {
					continue
				}
				for i, name := range v.Names {
					if _, have := p.constants[name.Name]; have {
						twice[name.Name] = true
					}
					if i < len(v.Values) {
						if value, ok := f.text(v.Values[i]); ok {
							p.constants[name.Name] = value
						}
					}
				}
			}
			return true
		})
	}
	for name := range twice {
		delete(p.constants, name)
	}
}
