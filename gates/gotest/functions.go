package gotest

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"maps"
	"slices"
	"strings"

	"evolve/gates/syntax"
	gosource "evolve/runtime/source"
)

// source is the parsed Go code of one folder, without tests.
type source struct {
	fset  *token.FileSet
	files map[string]*ast.File // keyed by path from the root of the tree
	texts map[string][]byte
}

// parseFolder parses the Go files of one folder; files maps their paths to their
// contents. It skips files that do not parse. It leaves out comments, so the text of
// parsed code contains no comments.
func parseFolder(files map[string][]byte) source {
	s := source{token.NewFileSet(), map[string]*ast.File{}, files}
	for p, text := range files {
		if f, err := parser.ParseFile(s.fset, p, text, parser.SkipObjectResolution); err == nil {
			s.files[p] = f
		}
	}
	return s
}

// function is a piece of code of which the gate can make a mutant: a function, a method, or
// a function literal in a package-level variable.
type function struct {
	file string
	name string
	body *ast.BlockStmt
	// whole is the extent of the code whose lines may have changed. old is the text of
	// that code in the base, or "" if there is none.
	whole ast.Node
	old   string
	// any names the changed type because of which the function is included. In this case,
	// it is enough that a test notices the mutant of one of the functions that use the
	// type. If the name is empty, a test must notice this function's own mutant.
	any string
	// values are the changed values. Conditions that use one of them count as changed.
	values map[string]bool
	// why is the reason why a function with unchanged text is included.
	why string
}

// changes are the changes to the code in one folder.
type changes struct {
	functions []function
	// unseen describes the changes that no mutant of a function can test.
	unseen []string
}

// declared returns the package-level names declared in one folder, except functions, each
// with the texts of its declarations.
func (s source) declared() map[string][]string {
	out := map[string][]string{}
	for _, f := range s.files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				text := syntax.Text(spec)
				if g.Tok == token.CONST && counts(g) {
					text = syntax.Text(g) // its value depends on the other lines in the group
				}
				for _, name := range names(spec) {
					if name == "_" && inert(g.Tok, spec) {
						continue
					}
					out[name] = append(out[name], g.Tok.String()+" "+text)
				}
			}
		}
	}
	return out
}

// inert reports whether the declaration of a nameless value has no effect, as in a
// compile-time check that a type implements an interface. Such a declaration makes no calls
// other than conversions to pointer types, and does not receive from a channel.
func inert(kind token.Token, spec ast.Spec) bool {
	return kind == token.CONST || !syntax.Contains(spec, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.CallExpr:
			_, pointer := ast.Unparen(x.Fun).(*ast.StarExpr)
			return !pointer
		case *ast.UnaryExpr:
			return x.Op == token.ARROW
		}
		return false
	})
}

// counts reports whether values in a group of declarations depend on their position.
func counts(g *ast.GenDecl) bool {
	found := false
	for _, spec := range g.Specs {
		v, ok := spec.(*ast.ValueSpec)
		found = found || ok && len(v.Values) == 0
	}
	return found || syntax.Mentions(g, map[string]bool{"iota": true})
}

// names returns the names that a specification declares. For a blank or dot import, it
// returns a description of the import.
func names(spec ast.Spec) []string {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		var out []string
		for _, n := range s.Names {
			out = append(out, n.Name)
		}
		return out
	case *ast.TypeSpec:
		return []string{s.Name.Name}
	case *ast.ImportSpec:
		if s.Name != nil && (s.Name.Name == "_" || s.Name.Name == ".") {
			return []string{"import " + s.Name.Name + " " + s.Path.Value}
		}
	}
	return nil
}

// each yields the functions in a folder, each with its file, in the order of the files.
func (s source) each() iter.Seq2[string, *ast.FuncDecl] {
	return func(yield func(string, *ast.FuncDecl) bool) {
		for _, file := range slices.Sorted(maps.Keys(s.files)) {
			for fn := range syntax.Functions(s.files[file]) {
				if !yield(file, fn) {
					return
				}
			}
		}
	}
}

// functions returns the texts of the functions in a folder, keyed by name. A name may
// have several texts, for different systems.
func (s source) functions() map[string][]string {
	out := map[string][]string{}
	for _, fn := range s.each() {
		out[gosource.FuncName(fn)] = append(out[gosource.FuncName(fn)], syntax.Text(fn))
	}
	return out
}

// raw returns the text of a node exactly as it is in its file.
func (s source) raw(file string, n ast.Node) string {
	return string(s.texts[file][s.fset.Position(n.Pos()).Offset:s.fset.Position(n.End()).Offset])
}

// compare returns the changes to the code in a folder.
func compare(was, is source) changes {
	var out changes
	before, declaredBefore, declaredNow := was.functions(), was.declared(), is.declared()
	values, types := map[string]bool{}, map[string]bool{}
	for name, texts := range declaredNow {
		if slices.Equal(slices.Sorted(slices.Values(texts)), slices.Sorted(slices.Values(declaredBefore[name]))) {
			continue
		}
		switch {
		case strings.HasPrefix(name, "import "):
			out.unseen = append(out.unseen, name)
		case strings.HasPrefix(texts[0], "type "):
			types[name] = true
		default:
			values[name] = true
		}
	}
	is.spread(values)
	raws := was.raws()
	renamed := renames(was, is)
	used := map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(is.files)) {
		for _, d := range is.files[file].Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.Name == "_" {
					continue // such a function cannot be called: it is a compile-time check
				}
				f, ok := is.changed(file, d, before, values, types)
				if ok && f.body != nil {
					f.old = raws[cmp.Or(renamed[f.name], f.name)]
					out.functions = append(out.functions, f)
				}
				for _, set := range []map[string]bool{values, types} {
					for n := range set {
						used[n] = used[n] || syntax.Mentions(d, map[string]bool{n: true})
					}
				}
			case *ast.GenDecl:
				out.functions = append(out.functions, literals(file, d, values)...)
			}
		}
	}
	for _, set := range []map[string]bool{values, types} {
		for n := range set {
			if !used[n] {
				out.unseen = append(out.unseen, n+", which no function of its package uses")
			}
		}
	}
	after := is.functions()
	for name := range before {
		if _, ok := after[name]; !ok && is.misses(name) {
			out.unseen = append(out.unseen, "the removed "+name)
		}
	}
	hadDirective, hasDirective := was.directives(), is.directives()
	for d := range hasDirective {
		if !hadDirective[d] {
			out.unseen = append(out.unseen, d)
		}
	}
	for d := range hadDirective {
		if !hasDirective[d] {
			out.unseen = append(out.unseen, "the removed "+d)
		}
	}
	slices.Sort(out.unseen)
	return out
}

// misses reports whether behaviour may depend on a removed function although the remaining
// code compiles. This is possible for an init function, and for a method through which its
// type implements an interface. An unexported method counts only if the package still
// contains its name, because it can implement only interfaces of its own package.
func (s source) misses(name string) bool {
	_, method, ok := strings.Cut(name, ".")
	if !ok {
		return name == "init"
	}
	if ast.IsExported(method) {
		return true
	}
	for _, f := range s.files {
		if syntax.Mentions(f, map[string]bool{method: true}) {
			return true
		}
	}
	return false
}

// directives returns the comments that instruct the compiler or the linker, and any C code.
func (s source) directives() map[string]bool {
	out := map[string]bool{}
	for file := range s.files {
		f, err := parser.ParseFile(token.NewFileSet(), file, s.texts[file], parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			continue
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				for _, prefix := range []string{"//go:", "//line ", "/*line ", "//export ", "// +build", "//+build"} {
					if strings.HasPrefix(c.Text, prefix) {
						out[c.Text] = true
					}
				}
			}
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT && g.Doc != nil && strings.Contains(syntax.Text(g), `"C"`) {
				out["C: "+g.Doc.Text()] = true
			}
		}
	}
	return out
}

// spread adds the values whose declarations use one of the given values.
func (s source) spread(values map[string]bool) {
	for grown := len(values) > 0; grown; {
		grown = false
		for _, f := range s.files {
			for _, d := range f.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok || g.Tok != token.VAR && g.Tok != token.CONST {
					continue
				}
				for _, spec := range g.Specs {
					if !syntax.Mentions(spec, values) {
						continue
					}
					for _, n := range names(spec) {
						grown = grown || !values[n]
						values[n] = true
					}
				}
			}
		}
	}
}

// raws returns the texts of functions exactly as they are written in their files, keyed by
// name, so that lines can be compared.
func (s source) raws() map[string]string {
	out := map[string]string{}
	for file, fn := range s.each() {
		out[gosource.FuncName(fn)] += s.raw(file, fn)
	}
	return out
}

// changed reports whether a function must be tested because its text changed or because it
// uses a changed value or type. It also returns the function, with the reason if the text
// did not change.
func (s source) changed(file string, d *ast.FuncDecl, before map[string][]string, values, types map[string]bool) (function, bool) {
	f := function{file: file, name: gosource.FuncName(d), body: d.Body, whole: d}
	if !slices.Contains(before[f.name], syntax.Text(d)) {
		f.values = values
		return f, true
	}
	for _, n := range slices.Sorted(maps.Keys(values)) {
		if syntax.Mentions(d, map[string]bool{n: true}) {
			f.why, f.values = "uses "+n, values
			return f, true
		}
	}
	for _, n := range slices.Sorted(maps.Keys(types)) {
		if syntax.Mentions(d, map[string]bool{n: true}) {
			f.why, f.any = "uses "+n, n
			return f, true
		}
	}
	return f, false
}

// literals returns the function literals in changed package-level variables.
func literals(file string, g *ast.GenDecl, values map[string]bool) []function {
	var out []function
	for _, spec := range g.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || !slices.ContainsFunc(v.Names, func(n *ast.Ident) bool { return values[n.Name] }) {
			continue
		}
		ast.Inspect(v, func(n ast.Node) bool {
			if l, ok := n.(*ast.FuncLit); ok {
				out = append(out, function{file: file, name: "the function in " + v.Names[0].Name, body: l.Body, whole: l})
				return false
			}
			return true
		})
	}
	return out
}
