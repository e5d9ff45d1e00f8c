package typed

import (
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// errUnknown is returned for a package that is neither in the tree nor installed. The types
// from that package are then unknown, and everything else is type-checked without them.
var errUnknown = errors.New("the package is not installed")

// loader loads the packages that both trees import: the standard library and the downloaded
// modules. It reads only their types, and each package only once.
type loader struct {
	set *token.FileSet
	// root is the root of the Go installation. modules is the folder for downloaded
	// modules.
	root, modules string
	packages      map[string]*types.Package // by folder
	sizes         types.Sizes
}

func newLoader(root, modules string) *loader {
	return &loader{token.NewFileSet(), root, modules, map[string]*types.Package{}, types.SizesFor("gc", build.Default.GOARCH)}
}

// tree is one side of a patch.
type tree struct {
	loader *loader
	// root is the folder of the tree.
	root     string
	modules  []module
	packages map[string]*types.Package // by import path
}

// module is a Go module in a tree.
type module struct {
	dir, path string
	// requires holds the versions of required modules. replaced holds their replacements: a
	// folder in the tree, relative to its root, or a module with its version.
	requires, replaced map[string]string
}

// openTree reads the go.mod files in a tree.
func (w *loader) openTree(root string) (*tree, error) {
	t := &tree{loader: w, root: root, packages: map[string]*types.Package{}}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") || d.Name() == "testdata" || d.Name() == "vendor" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.Name() != "go.mod" || !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		t.modules = append(t.modules, readModule(filepath.ToSlash(rel), string(text)))
		return nil
	})
	slices.SortFunc(t.modules, func(a, b module) int { return len(b.path) - len(a.path) })
	return t, err
}

// readModule reads the module path, the requirements and the replacements from a go.mod
// file. It skips all other lines, and malformed ones, whose errors the build reports.
func readModule(dir, text string) module {
	m := module{dir: dir, requires: map[string]string{}, replaced: map[string]string{}}
	block := ""
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		for i := range words {
			words[i] = strings.Trim(words[i], "\"`")
		}
		switch {
		case len(words) == 0:
		case words[0] == ")":
			block = ""
		case len(words) == 2 && words[1] == "(":
			block = words[0]
		case block != "":
			m.directive(block, words)
		default:
			m.directive(words[0], words[1:])
		}
	}
	return m
}

// directive adds one directive from a go.mod to the module.
func (m *module) directive(verb string, words []string) {
	switch {
	case verb == "module" && len(words) == 1:
		m.path = words[0]
	case verb == "require" && len(words) >= 2:
		m.requires[words[0]] = words[1]
	case verb == "replace":
		at := slices.Index(words, "=>")
		if at < 1 || at+1 >= len(words) {
			return
		}
		if to := words[at+1]; strings.HasPrefix(to, ".") {
			m.replaced[words[0]] = path.Join(m.dir, to)
		} else if at+2 < len(words) {
			m.replaced[words[0]] = to + "@" + words[at+2]
		}
	}
}

// holds reports whether an import path is the path of a module or is below it.
func holds(module, importPath string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}

// moduleOf returns the module in the tree that contains a folder.
func (t *tree) moduleOf(dir string) (module, bool) {
	var found module
	ok := false
	for _, m := range t.modules {
		if m.dir == "." || dir == m.dir || strings.HasPrefix(dir, m.dir+"/") {
			if !ok || found.dir == "." || len(m.dir) > len(found.dir) {
				found, ok = m, true
			}
		}
	}
	return found, ok
}

// importer imports packages for one module in a tree.
type importer struct {
	tree *tree
	from module
	// std reports whether the importing package is in the standard library.
	std bool
}

// hidden contains packages that are skipped when the standard library is read. Reading
// them takes a long time, and the exported API of the standard library needs little from
// them.
var hidden = []string{"runtime", "syscall", "C"}

// Import returns the types of a package, read from its source without the function bodies.
func (i importer) Import(importPath string) (*types.Package, error) {
	t, w := i.tree, i.tree.loader
	if importPath == "unsafe" {
		return types.Unsafe, nil
	}
	if p := t.packages[importPath]; p != nil {
		return p, nil
	}
	if i.std && (slices.Contains(strings.Split(importPath, "/"), "internal") || slices.Contains(hidden, importPath)) {
		return nil, errUnknown
	}
	for _, m := range t.modules {
		if m.path != "" && holds(m.path, importPath) {
			t.packages[importPath] = nil // breaks an import cycle
			dir := filepath.Join(t.root, filepath.FromSlash(m.dir), filepath.FromSlash(strings.TrimPrefix(strings.TrimPrefix(importPath, m.path), "/")))
			p, err := w.outside(importPath, dir, importer{tree: t, from: m})
			if err == nil {
				t.packages[importPath] = p
			}
			return p, err
		}
	}
	dir, from := i.installed(importPath)
	if dir == "" {
		return nil, errUnknown
	}
	if p, ok := w.packages[dir]; ok {
		if p == nil {
			return nil, errUnknown
		}
		return p, nil
	}
	w.packages[dir] = nil
	p, err := w.outside(importPath, dir, from)
	if err == nil {
		w.packages[dir] = p
	}
	return p, err
}

// installed returns the folder of a package in the standard library or in a downloaded
// module, and the importer for the package's own imports. It returns "" if there is no such
// folder.
func (i importer) installed(importPath string) (string, importer) {
	t, w := i.tree, i.tree.loader
	is := func(dir string) bool {
		info, err := os.Stat(dir)
		return err == nil && info.IsDir()
	}
	first, _, _ := strings.Cut(importPath, "/")
	if !strings.Contains(first, ".") {
		if dir := filepath.Join(w.root, "src", filepath.FromSlash(importPath)); is(dir) {
			return dir, importer{tree: t, std: true}
		}
		return "", i
	}
	if i.std {
		return "", i
	}
	if dir := filepath.Join(t.root, filepath.FromSlash(i.from.dir), "vendor", filepath.FromSlash(importPath)); is(dir) {
		return dir, i
	}
	best := ""
	for name := range i.from.requires {
		if holds(name, importPath) && len(name) > len(best) {
			best = name
		}
	}
	if best == "" {
		return "", i
	}
	at := best + "@" + i.from.requires[best]
	if to, ok := i.from.replaced[best]; ok {
		if at = to; !strings.Contains(to, "@") {
			return filepath.Join(t.root, filepath.FromSlash(to), filepath.FromSlash(strings.TrimPrefix(importPath, best))), i
		}
	}
	// In the folder names of modules, an upper-case letter is written as an exclamation
	// mark followed by the lower-case letter.
	var escaped strings.Builder
	for _, r := range at {
		if 'A' <= r && r <= 'Z' {
			escaped.WriteByte('!')
			r += 'a' - 'A'
		}
		escaped.WriteRune(r)
	}
	dir := filepath.Join(w.modules, filepath.FromSlash(escaped.String()), filepath.FromSlash(strings.TrimPrefix(importPath, best)))
	if !is(dir) {
		return "", i
	}
	return dir, i // the requiring module's go.mod also lists the requirements of this module
}

// outside returns the types of a package's exported API.
func (w *loader) outside(importPath, dir string, from types.Importer) (*types.Package, error) {
	files, err := w.parse(dir)
	if err != nil || len(files) == 0 {
		return nil, errUnknown
	}
	config := types.Config{Importer: from, IgnoreFuncBodies: true, FakeImportC: true, Sizes: w.sizes, Error: func(error) {}}
	p, _ := config.Check(importPath, w.set, files, nil) // errors leave the objects untyped
	return p, nil
}

// parse parses the Go files in a folder that are built on this system, without tests. It
// skips files that do not parse, because the build reports them.
func (w *loader) parse(dir string) ([]*ast.File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	system := build.Default
	system.CgoEnabled = false
	var out []*ast.File
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || !e.Type().IsRegular() {
			continue
		}
		if ok, err := system.MatchFile(dir, name); err != nil || !ok {
			continue
		}
		file, _ := parser.ParseFile(w.set, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if file != nil {
			out = append(out, file)
		}
	}
	return out, nil
}
