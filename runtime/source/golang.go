package source

import (
	"bytes"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/printer"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// readGo adds what the parser returns; for a file with syntax errors, that is the part
// before them. The parser itself limits the depth of nesting to 100,000 levels, which take
// a few hundred bytes of stack each.
func (s *Summary) readGo(text string) error {
	set := token.NewFileSet()
	f, _ := parser.ParseFile(set, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if f == nil || f.Name == nil || f.Name.Name == "" {
		return ErrNoSource
	}
	s.Package = f.Name.Name
	if f.Doc != nil {
		s.Doc = f.Doc.Text()
	}
	s.Tags = buildTags(f)
	for _, imp := range f.Imports {
		p, err := strconv.Unquote(imp.Path.Value)
		if err != nil || slices.ContainsFunc(s.Imports, func(i Import) bool { return i.Path == p }) {
			continue
		}
		s.Imports = append(s.Imports, Import{Path: p, Kind: goKind(p), Form: Static})
	}
	s.Touches = touches(Go, s.Imports)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			s.goFunc(set, d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					s.Types = append(s.Types, Type{Name: t.Name.Name, Kind: goTypeKind(t), Exported: t.Name.IsExported()})
				}
			}
		}
	}
	return nil
}

func (s *Summary) goFunc(set *token.FileSet, d *ast.FuncDecl) {
	name, exported := d.Name.Name, d.Name.IsExported()
	switch {
	case d.Recv != nil && len(d.Recv.List) > 0:
		name = receiver(d.Recv.List[0].Type) + "." + name
	case s.Package == "main" && name == "main" && !s.Test:
		s.Entry = "package main"
	case s.Test && goTest(name):
		s.Tests = append(s.Tests, name)
	}
	s.Functions = append(s.Functions, Function{Name: name, Signature: goSignature(set, d), Exported: exported})
}

// goSignature returns the declaration without its body, on one line. For a signature of 500
// or more nodes, which would take too long to print, it returns only the name.
func goSignature(set *token.FileSet, d *ast.FuncDecl) string {
	parts := 0
	ast.Inspect(d.Type, func(ast.Node) bool { parts++; return parts < 500 })
	if parts >= 500 {
		return "func " + d.Name.Name + "(…)"
	}
	short := &ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type}
	var b bytes.Buffer
	if err := (&printer.Config{Mode: printer.RawFormat}).Fprint(&b, set, short); err != nil {
		return ""
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func goTest(name string) bool {
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if strings.HasPrefix(name, prefix) && name != "TestMain" {
			return true
		}
	}
	return false
}

func goTypeKind(t *ast.TypeSpec) string {
	if t.Assign.IsValid() {
		return "alias"
	}
	switch t.Type.(type) {
	case *ast.StructType:
		return "struct"
	case *ast.InterfaceType:
		return "interface"
	}
	return "defined"
}

func receiver(x ast.Expr) string {
	for {
		switch v := x.(type) {
		case *ast.ParenExpr:
			x = v.X
		case *ast.StarExpr:
			x = v.X
		case *ast.IndexExpr:
			x = v.X
		case *ast.IndexListExpr:
			x = v.X
		case *ast.Ident:
			return v.Name
		default:
			return "?"
		}
	}
}

// buildTags returns the constraint in the //go:build line above the package clause.
func buildTags(f *ast.File) string {
	for _, group := range f.Comments {
		if group.Pos() > f.Package {
			break
		}
		for _, c := range group.List {
			if constraint.IsGoBuild(c.Text) && len(c.Text) <= 1000 {
				if x, err := constraint.Parse(c.Text); err == nil {
					return x.String()
				}
			}
		}
	}
	return ""
}
