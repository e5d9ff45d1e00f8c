package tool

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// repository is what the Go files below the root say of themselves. It is made
// once per evaluation, when the first tool asks.
type repository struct {
	module   string // of go.mod; "" when there is none
	files    map[string]*goFile
	packages map[string]*goPackage // by folder
}

// goFile is one parsed file.
type goFile struct {
	path    string
	name    string // of the package
	doc     string
	imports []string
	types   []string
	funcs   []string // methods as Type.Method
	test    bool
}

// goPackage is the non-test part of a folder. Imports and importers are folders
// of the same repository.
type goPackage struct {
	folder    string
	name      string
	imports   []string
	importers []string
	testOnly  bool
}

func (e *Env) repository() (*repository, error) {
	if e.repo != nil {
		return e.repo, nil
	}
	files, err := e.Files()
	if err != nil {
		return nil, err
	}
	r := &repository{files: map[string]*goFile{}, packages: map[string]*goPackage{}}
	for _, f := range files {
		if f.Dir || (path.Ext(f.Path) != ".go" && f.Path != "go.mod") {
			continue
		}
		text, err := e.Text(f.Path)
		if err != nil {
			continue
		}
		if f.Path == "go.mod" {
			r.module = moduleName(text)
			continue
		}
		if g := parseGo(f.Path, text); g != nil {
			r.files[f.Path] = g
		}
	}
	r.link()
	e.repo = r
	return r, nil
}

func moduleName(mod string) string {
	for line := range strings.Lines(mod) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.Trim(strings.TrimSpace(rest), `"`)
		}
	}
	return ""
}

// parseGo reads what it can; a file with syntax errors gives what stands before
// them, and one without a package clause nothing.
func parseGo(name, text string) *goFile {
	f, _ := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
	if f == nil || f.Name == nil || f.Name.Name == "" {
		return nil
	}
	g := &goFile{path: name, name: f.Name.Name, test: strings.HasSuffix(name, "_test.go")}
	if f.Doc != nil {
		g.doc = strings.Join(strings.Fields(f.Doc.Text()), " ")
	}
	for _, imp := range f.Imports {
		if p, err := strconv.Unquote(imp.Path.Value); err == nil {
			g.imports = append(g.imports, p)
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil && len(d.Recv.List) > 0 {
				name = receiver(d.Recv.List[0].Type) + "." + name
			}
			g.funcs = append(g.funcs, name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok {
					g.types = append(g.types, t.Name.Name)
				}
			}
		}
	}
	return g
}

func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	}
	return "?"
}

func (r *repository) link() {
	for _, p := range sorted(r.files) {
		g := r.files[p]
		folder := path.Dir(p)
		pkg := r.packages[folder]
		if pkg == nil {
			pkg = &goPackage{folder: folder, name: g.name, testOnly: true}
			r.packages[folder] = pkg
		}
		if g.test {
			continue // tests are no part of the dependency graph
		}
		pkg.testOnly, pkg.name = false, g.name
		for _, imp := range g.imports {
			if to, ok := r.folderOf(imp); ok && !slices.Contains(pkg.imports, to) {
				pkg.imports = append(pkg.imports, to)
			}
		}
	}
	for _, folder := range sorted(r.packages) {
		pkg := r.packages[folder]
		slices.Sort(pkg.imports)
		for _, to := range pkg.imports {
			if target := r.packages[to]; target != nil {
				target.importers = append(target.importers, folder)
			}
		}
	}
}

// folderOf maps an import path of the module to its folder.
func (r *repository) folderOf(imp string) (string, bool) {
	if r.module == "" {
		return "", false
	}
	if imp == r.module {
		return ".", true
	}
	return strings.CutPrefix(imp, r.module+"/")
}

// find resolves what a person calls a package: its folder, import path, last
// part of the folder, or package name.
func (r *repository) find(what string) (*goPackage, bool) {
	what = strings.Trim(strings.TrimPrefix(what, "./"), "/")
	if p, ok := r.packages[what]; ok {
		return p, true
	}
	if folder, ok := r.folderOf(what); ok {
		if p, ok := r.packages[folder]; ok {
			return p, true
		}
	}
	for _, folder := range sorted(r.packages) {
		p := r.packages[folder]
		if path.Base(folder) == what || strings.HasSuffix(folder, "/"+what) || (p.name == what && what != "main") {
			return p, true
		}
	}
	return nil, false
}

// cycles lists the groups of packages that import one another in a circle
// (strongly connected components of more than one, after Tarjan), each sorted.
func (r *repository) cycles() [][]string {
	var (
		out   [][]string
		stack []string
		index = map[string]int{}
		low   = map[string]int{}
		on    = map[string]bool{}
		visit func(v string)
	)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack = append(stack, v)
		on[v] = true
		for _, w := range r.packages[v].imports {
			if r.packages[w] == nil {
				continue
			}
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if on[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		at := slices.Index(stack, v)
		group := slices.Clone(stack[at:])
		for _, w := range group {
			on[w] = false
		}
		stack = stack[:at]
		if len(group) > 1 {
			slices.Sort(group)
			out = append(out, group)
		}
	}
	for _, v := range sorted(r.packages) {
		if index[v] == 0 {
			visit(v)
		}
	}
	slices.SortFunc(out, func(a, b []string) int { return slices.Compare(a, b) })
	return out
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
