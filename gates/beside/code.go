package beside

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"

	"evolve/gates/syntax"
	"evolve/runtime/source"
)

// code is the parsed source of one version of a package.
type code struct {
	fset      *token.FileSet
	files     []*ast.File
	functions map[string]*ast.FuncDecl // by name; methods are named T.M
	types     map[string]*ast.TypeSpec
	// values maps the name of each package-level variable and constant to the specification
	// that declares it.
	values map[string]*ast.ValueSpec
	texts  map[string]string // the source of each value, by name; if other lines of its group give the value, the source is that of the whole group
	// marked holds the constants that the repository marks as tunable.
	marked map[string]bool
}

// parse parses the files of a version. It skips files that do not parse, because compiling
// them reports the error.
func parse(files map[string][]byte) code {
	c := code{token.NewFileSet(), nil, map[string]*ast.FuncDecl{}, map[string]*ast.TypeSpec{}, map[string]*ast.ValueSpec{}, map[string]string{}, map[string]bool{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := parser.ParseFile(c.fset, name, files[name], parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		c.files = append(c.files, f)
		c.recordMarked(name, files[name])
		for _, d := range f.Decls {
			c.declare(d)
		}
	}
	return c
}

// recordMarked records the constants that have a marker comment above them or on their
// line.
func (c *code) recordMarked(name string, text []byte) {
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return
	}
	hasMarker := func(groups ...*ast.CommentGroup) bool {
		for _, g := range groups {
			if g != nil && slices.ContainsFunc(g.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//evolve:param") }) {
				return true
			}
		}
		return false
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			if v, ok := s.(*ast.ValueSpec); ok && (hasMarker(v.Doc, v.Comment) || len(g.Specs) == 1 && hasMarker(g.Doc)) {
				for _, n := range v.Names {
					c.marked[n.Name] = true
				}
			}
		}
	}
}

func (c *code) declare(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		c.functions[source.FuncName(d)] = d
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				c.types[s.Name.Name] = s
			case *ast.ValueSpec:
				text := syntax.Text(s)
				if d.Tok == token.CONST && len(s.Values) == 0 {
					text = syntax.Text(d) // the value is given by other lines in the group
				}
				for _, n := range s.Names {
					c.values[n.Name], c.texts[n.Name] = s, text
				}
			}
		}
	}
}

// receiver returns the type of a method's receiver, the number of its type parameters,
// and whether it is a pointer.
func receiver(d *ast.FuncDecl) (base string, params int, pointer bool) {
	t := d.Recv.List[0].Type
	if p, ok := ast.Unparen(t).(*ast.StarExpr); ok {
		t, pointer = p.X, true
	}
	switch x := ast.Unparen(t).(type) {
	case *ast.IndexExpr:
		t, params = x.X, 1
	case *ast.IndexListExpr:
		t, params = x.X, len(x.Indices)
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name, params, pointer
	}
	return "", params, pointer
}

// uses returns the identifiers in a piece of source code, without resolving them.
func uses(n ast.Node) map[string]bool {
	out := map[string]bool{}
	for n := range ast.Preorder(n) {
		if id, ok := n.(*ast.Ident); ok {
			out[id.Name] = true
		}
	}
	return out
}

// short returns the part of a method's name after the last dot.
func short(name string) string { return name[strings.LastIndex(name, ".")+1:] }

// changed returns the functions that exist in both versions and whose own text differs,
// or that use a value or a type of the package that differs. It maps each of these
// functions to the reason why the function is listed, which is "" if its own text
// differs.
//
// tuned reports whether the versions differ only in constants that both versions mark as
// tunable.
func changed(was, is code) (out map[string]string, tuned bool) {
	differ := map[string]string{}
	tuned = true
	for n, text := range is.texts {
		if was.texts[n] != text {
			differ[n] = "value"
			tuned = tuned && was.marked[n] && is.marked[n]
		}
	}
	for n, t := range is.types {
		if old := was.types[n]; old == nil || syntax.Text(old) != syntax.Text(t) {
			differ[n], tuned = "type", false
		}
	}
	for grown := true; grown; { // repeat, because a value computed from a differing value also counts as differing
		grown = false
		for n, s := range is.values {
			if differ[n] != "" {
				continue
			}
			for used := range uses(s) {
				if differ[used] == "value" {
					differ[n], grown = "value", true
				}
			}
		}
	}
	out = map[string]string{}
	for n, d := range is.functions {
		old := was.functions[n]
		tuned = tuned && old != nil && syntax.Text(old) == syntax.Text(d)
		if old == nil || d.Body == nil || old.Body == nil {
			continue
		}
		if syntax.Text(old) != syntax.Text(d) {
			out[n] = ""
			continue
		}
		for _, used := range slices.Sorted(maps.Keys(uses(d))) {
			if differ[used] != "" {
				out[n] = "uses " + used
				break
			}
		}
	}
	return out, tuned && len(is.functions) == len(was.functions)
}

// callers returns list and, in addition, the functions that call a function in list,
// directly or through a chain of at most distance calls.
func callers(is code, list map[string]string, distance int) map[string]string {
	out := maps.Clone(list)
	near := map[string]bool{}
	for n := range list {
		near[short(n)] = true
	}
	for range distance {
		next := map[string]bool{}
		for n, d := range is.functions {
			if _, known := out[n]; known || d.Body == nil {
				continue
			}
			for used := range uses(d.Body) {
				if near[used] {
					out[n], next[short(n)] = "calls "+used, true
					break
				}
			}
		}
		near = next
	}
	return out
}
