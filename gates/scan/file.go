package scan

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// file is one parsed source file of a patch, with the parts that the patch changes.
type file struct {
	Source
	set *token.FileSet
	// now is the file after the patch. was is the file before the patch; it is nil if the
	// file did not exist or does not parse.
	now, was *ast.File
	// imported contains the import paths of the imported packages, keyed by package name.
	// dotted lists the import paths of the packages imported with a dot.
	imported map[string]string
	dotted   []string
	// units are the declarations that the patch changes.
	units []*unit
	pkg   *pkg
}

// unit is a declaration that the patch adds or changes: a function, or one
// specification of a type, constant, variable or import.
type unit struct {
	node ast.Node
	// before is the function with the same name in the base; nil for anything else.
	before *ast.FuncDecl
}

// test reports whether the file is a test file, which only go test reads.
func (f *file) test() bool { return strings.HasSuffix(f.Path, "_test.go") }

// parse parses a source file. A base that does not parse counts as absent, so everything is
// new.
func parse(s Source) (*file, error) {
	f := &file{Source: s, set: token.NewFileSet()}
	var err error
	f.now, err = parser.ParseFile(f.set, s.Path, s.New, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if s.Old != nil {
		was, err := parser.ParseFile(f.set, s.Path, s.Old, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil {
			f.was = was
		}
	}
	f.names()
	return f, nil
}

// names records the names under which packages are imported.
func (f *file) names() {
	f.imported, f.dotted = map[string]string{}, nil
	for _, i := range f.now.Imports {
		p := importPath(i)
		switch {
		case i.Name == nil:
			f.imported[packageName(p)] = p
		case i.Name.Name == ".":
			f.dotted = append(f.dotted, p)
		default:
			f.imported[i.Name.Name] = p
		}
	}
}

// before returns the base's version of the file, with the changed functions as its units;
// nil if there is none.
func (f *file) before() *file {
	if f.was == nil {
		return nil
	}
	b := &file{Source: Source{Path: f.Path, New: f.Old}, set: f.set, now: f.was, pkg: &pkg{}}
	b.names()
	for _, u := range f.units {
		if u.before != nil {
			b.units = append(b.units, &unit{node: u.before})
		}
	}
	return b
}

func importPath(i *ast.ImportSpec) string {
	p, err := strconv.Unquote(i.Path.Value)
	if err != nil {
		return i.Path.Value
	}
	return p
}

// packageName guesses the name of a package from its path: it is the last element that is
// not a version.
func packageName(p string) string {
	base := path.Base(p)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(p))
	}
	return base
}

// tokens returns the text of a node without comments or layout. The text is equal for two
// versions that the compiler does not distinguish.
func (f *file) tokens(src []byte, n ast.Node) string {
	from, to := f.set.PositionFor(n.Pos(), false).Offset, f.set.PositionFor(n.End(), false).Offset
	if fn, ok := n.(*ast.FuncDecl); ok {
		from = f.set.PositionFor(fn.Type.Func, false).Offset
	}
	if from < 0 || to > len(src) || from > to {
		return ""
	}
	var s scanner.Scanner
	part := src[from:to]
	s.Init(token.NewFileSet().AddFile("", -1, len(part)), part, nil, 0)
	var out strings.Builder
	separator := "" // dropped before a closing bracket, where a separator depends only on the layout
	for {
		_, kind, text := s.Scan()
		switch kind {
		case token.EOF:
			return out.String()
		case token.SEMICOLON, token.COMMA:
			separator += kind.String()
			continue
		case token.RPAREN, token.RBRACE:
			separator = ""
		}
		if text == "" {
			text = kind.String()
		}
		out.WriteString(separator + text + " ")
		separator = ""
	}
}

// declarations lists the functions and specifications in a file, each with the kind of its
// declaration, because the same words mean different things after const and after var.
func declarations(a *ast.File) (nodes []ast.Node, kinds []token.Token) {
	for _, d := range a.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			nodes, kinds = append(nodes, d), append(kinds, token.FUNC)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				nodes, kinds = append(nodes, s), append(kinds, d.Tok)
			}
		}
	}
	return nodes, kinds
}

// is reports whether an expression names one of a package's functions or variables.
func (f *file) is(n ast.Node, pkg string, names ...string) bool {
	switch x := n.(type) {
	case *ast.ParenExpr:
		return f.is(x.X, pkg, names...)
	case *ast.SelectorExpr:
		id, ok := ast.Unparen(x.X).(*ast.Ident)
		return ok && f.imported[id.Name] == pkg && slices.Contains(names, x.Sel.Name)
	case *ast.Ident:
		return slices.Contains(f.dotted, pkg) && slices.Contains(names, x.Name)
	}
	return false
}
