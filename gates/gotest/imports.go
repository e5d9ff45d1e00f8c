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
	name    string   // name of the package; "" if there are only tests
	tests   []string // names of the test files
	imports []string // imports of all files, including tests, regardless of build constraints
	embeds  []string // the patterns of files embedded by the code, but not by its tests
}

// arg returns the package as an argument for the Go tool, relative to the folder of its
// module.
func (p *pkg) arg() string {
	if p.dir == p.module.dir {
		return "."
	}
	return "./" + strings.TrimPrefix(p.dir, strings.TrimPrefix(p.module.dir+"/", "./"))
}

// graph holds the packages of a tree and their imports. It ignores build constraints, so it
// contains more than is built on any single system. As a result, more may be tested than
// necessary.
type graph struct {
	modules  []module
	packages map[string]*pkg // by import path
	folders  map[string]*pkg // by folder
}

// scanImports reads the imports of all packages in a tree's modules. A file that does not
// parse counts as having no imports; the build reports the error.
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

// vendor makes a module use vendored code if and only if the module does so in the base,
// so that a patch cannot change this.
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

// owner returns the package that a file belongs to, or nil if there is none. It is the
// package in the file's folder or in the nearest folder above it, because a package may
// embed or read files in folders below its own.
func (s graph) owner(file string) *pkg {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if p := s.folders[dir]; p != nil || dir == "." {
			return p
		}
	}
}

// dependents lists the given packages and everything that imports them, directly,
// indirectly or in tests, sorted by distance and then by name.
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
