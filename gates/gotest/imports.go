package gotest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// pkg is a folder with Go files.
type pkg struct {
	path    string // import path
	dir     string // slash-separated, from the root of the tree
	module  module
	name    string   // name of the package, "" when there are only tests
	tests   []string // names of the test files
	imports []string // imports of all files, tests included, whatever the build constraints
	embeds  []string // the patterns of files that the code, not its tests, embeds
}

// arg returns the package as an argument of the Go tool, relative to the folder of its
// module.
func (p *pkg) arg() string {
	if p.dir == p.module.dir {
		return "."
	}
	return "./" + strings.TrimPrefix(p.dir, strings.TrimPrefix(p.module.dir+"/", "./"))
}

// graph holds the packages of a tree and their imports. It ignores build constraints,
// so it has more than is built on any one system, and errs on the side of testing too
// much.
type graph struct {
	modules  []module
	packages map[string]*pkg // by import path
	folders  map[string]*pkg // by folder
}

// scanImports reads the imports of every module of a tree. A file that does not parse
// counts as one without imports: the build reports it.
func scanImports(root string) (graph, error) {
	list, err := modules(root)
	if err != nil {
		return graph{}, err
	}
	s := graph{list, map[string]*pkg{}, map[string]*pkg{}}
	fset := token.NewFileSet()
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && ignored(d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular() || !strings.HasSuffix(name, ".go") || strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_"):
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		dir := path.Dir(filepath.ToSlash(rel))
		m, ok := moduleOf(list, dir)
		if !ok {
			return nil
		}
		p := s.folders[dir]
		if p == nil {
			p = &pkg{path: m.importPath(dir), dir: dir, module: m}
			s.folders[dir], s.packages[p.path] = p, p
		}
		return p.read(fset, name)
	})
	return s, err
}

// vendor makes each module build from vendored code if, and only if, it does so on the
// base, so that a patch cannot change it.
func (s *graph) vendor(base []module) {
	adopt := func(m *module) {
		was, _ := moduleNamed(base, m.dir)
		m.vendor = was.vendor
	}
	for i := range s.modules {
		adopt(&s.modules[i])
	}
	for _, p := range s.folders {
		adopt(&p.module)
	}
}

// read adds a file to its package.
func (p *pkg) read(fset *token.FileSet, name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	file, _ := parser.ParseFile(fset, name, data, parser.ImportsOnly) // the build reports errors
	if file == nil {
		return nil
	}
	if strings.HasSuffix(name, "_test.go") {
		p.tests = append(p.tests, filepath.Base(name))
	} else {
		if p.name == "" || p.name == "main" {
			p.name = file.Name.Name
		}
		p.embeds = append(p.embeds, embedded(data)...)
	}
	for _, i := range file.Imports {
		if to, err := strconv.Unquote(i.Path.Value); err == nil && !slices.Contains(p.imports, to) {
			p.imports = append(p.imports, to)
		}
	}
	return nil
}

// owner returns the package that a file belongs to: that of the nearest folder with
// one, as deeper files may be embedded or read; nil for a file outside all packages.
func (s graph) owner(file string) *pkg {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if p := s.folders[dir]; p != nil || dir == "." {
			return p
		}
	}
}

// dependents lists packages and everything that imports them, directly or not and in
// tests too, in the order of their distance and then of their names.
func (s graph) dependents(of []*pkg) []*pkg {
	users := map[string][]*pkg{}
	for _, p := range s.packages {
		for _, i := range p.imports {
			users[i] = append(users[i], p)
		}
	}
	seen := map[*pkg]bool{}
	var out []*pkg
	for next := of; len(next) > 0; {
		fresh := map[string]*pkg{}
		for _, p := range next {
			if !seen[p] {
				fresh[p.path] = p
			}
		}
		next = nil
		for _, name := range slices.Sorted(maps.Keys(fresh)) {
			p := fresh[name]
			seen[p] = true
			out = append(out, p)
			next = append(next, users[name]...)
		}
	}
	return out
}
