package gotest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// module is one Go module in a tree.
type module struct {
	dir    string // slash-separated, from the root of the tree; "." for the root
	path   string // the module path in its go.mod
	vendor bool   // the module vendors its dependencies
}

// modules returns the modules in a tree, outermost first. A go.mod below a folder that the
// Go tool ignores, such as testdata or vendor, does not count.
func modules(root string) ([]module, error) {
	var out []module
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && ignored(d.Name()):
			return fs.SkipDir
		case d.Name() != "go.mod" || !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		_, err = os.Stat(filepath.Join(filepath.Dir(name), "vendor", "modules.txt"))
		out = append(out, module{dir: filepath.ToSlash(rel), path: modulePath(string(data)), vendor: err == nil})
		return nil
	})
	slices.SortFunc(out, func(a, b module) int { return strings.Compare(a.dir, b.dir) })
	return out, err
}

// ignored reports whether the Go tool ignores a folder.
func ignored(name string) bool {
	return name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// modulePath reads the module line of a go.mod.
func modulePath(text string) string {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "module" {
			return strings.Trim(fields[1], "\"`")
		}
	}
	return ""
}

// within reports whether a slash-separated path is dir or is below it.
func within(p, dir string) bool {
	return dir == "." || p == dir || strings.HasPrefix(p, dir+"/")
}

// moduleOf returns the innermost module that contains a folder.
func moduleOf(list []module, dir string) (module, bool) {
	var found module
	ok := false
	for _, m := range list {
		if within(dir, m.dir) && (!ok || len(m.dir) > len(found.dir) || found.dir == ".") {
			found, ok = m, true
		}
	}
	return found, ok
}

// importPath returns the import path of a folder in the module.
func (m module) importPath(dir string) string {
	switch {
	case dir == m.dir:
		return m.path
	case m.dir == ".":
		return path.Join(m.path, dir)
	}
	return path.Join(m.path, strings.TrimPrefix(dir, m.dir+"/"))
}
