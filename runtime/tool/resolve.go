package tool

import (
	"path"
	"strings"

	"evolve/runtime/source"
)

// resolve maps an import in a file to the names of nodes of the repository, or to none if
// the import is not from the repository. If the name is that of a Go folder, the node may
// be missing.
func (r *repository) resolve(s *source.Summary, imp source.Import) []string {
	switch s.Language {
	case source.Go:
		if to, ok := r.folderOf(imp.Path); ok {
			return []string{to}
		}
		return nil
	case source.Python:
		return r.resolvePython(s.Path, imp)
	}
	if to, ok := r.resolveScript(s.Path, imp.Path); ok {
		return []string{to}
	}
	return nil
}

// folderOf returns the folder of a package of the Go module, given the package's import
// path.
func (r *repository) folderOf(imp string) (string, bool) {
	if r.module == "" {
		return "", false
	}
	if imp == r.module {
		return ".", true
	}
	return strings.CutPrefix(imp, r.module+"/")
}

// inside joins a relative path to a folder and reports whether the result stays in the
// repository.
func inside(folder, rel string) (string, bool) {
	p := path.Join(folder, rel)
	return p, p != ".." && !strings.HasPrefix(p, "../") && !path.IsAbs(p)
}

// scriptEndings are the extensions tried, in this order, for a specifier without one.
var scriptEndings = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts"}

// resolveScript finds the file that a relative specifier refers to. It tries the path as
// it is, with the compiled file's extension replaced by the source file's, with an added
// extension, and as a folder with an index file.
func (r *repository) resolveScript(from, spec string) (string, bool) {
	if !strings.HasPrefix(spec, ".") {
		return "", false
	}
	spec, _, _ = strings.Cut(spec, "?") // a bundler's query
	p, ok := inside(path.Dir(from), spec)
	if !ok {
		return "", false
	}
	if s := r.files[p]; s != nil && s.Language != source.Go && s.Language != source.Python {
		return p, true
	}
	tries := make([]string, 0, 3*len(scriptEndings))
	for compiled, written := range map[string][]string{".js": {".ts", ".tsx"}, ".jsx": {".tsx"}, ".mjs": {".mts"}, ".cjs": {".cts"}} {
		if stem, ok := strings.CutSuffix(p, compiled); ok {
			for _, ending := range written {
				tries = append(tries, stem+ending)
			}
		}
	}
	for _, ending := range scriptEndings {
		tries = append(tries, p+ending)
	}
	for _, ending := range scriptEndings {
		tries = append(tries, path.Join(p, "index"+ending))
	}
	for _, t := range tries {
		if r.files[t] != nil {
			return t, true
		}
	}
	return "", false
}

// resolvePython finds the files of a module and of the names imported from it. An absolute
// name is looked up from the root, from src, and from the folders above the importing file,
// which may be on Python's path.
func (r *repository) resolvePython(from string, imp source.Import) []string {
	name := strings.TrimLeft(imp.Path, ".")
	dots := len(imp.Path) - len(name)
	var bases []string
	folder := path.Dir(from)
	switch {
	case dots > 0:
		for range dots - 1 {
			if folder == "." {
				return nil // beyond the top
			}
			folder = path.Dir(folder)
		}
		bases = []string{folder}
	case imp.Kind == source.Standard:
		return nil
	default:
		bases = []string{".", "src"}
		for at := folder; at != "."; at = path.Dir(at) {
			bases = append(bases, at)
		}
	}
	rel := strings.ReplaceAll(name, ".", "/")
	for _, base := range bases {
		if out := r.modules(base, rel, imp.Names); len(out) > 0 {
			return out
		}
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 && dots == 0 && len(imp.Names) == 0 {
		// This may be import a.b.c, where c is a name in the module a.b.
		return r.resolvePython(from, source.Import{Path: name[:i], Kind: imp.Kind})
	}
	return nil
}

// modules returns the files to which an import of names from a module below a folder
// refers: the file of each name that is a submodule and, unless all names are submodules,
// the file of the module itself.
func (r *repository) modules(base, rel string, names []string) []string {
	p, ok := inside(base, rel)
	if !ok {
		return nil
	}
	var out []string
	for _, n := range names {
		if f, ok := r.pythonFile(path.Join(p, n)); ok && n != "*" {
			out = append(out, f)
		}
	}
	if f, ok := r.pythonFile(p); ok && len(out) < max(1, len(names)) {
		out = append(out, f)
	}
	return out
}

// pythonFile returns the file of a Python module, given its path without an extension.
func (r *repository) pythonFile(p string) (string, bool) {
	for _, f := range []string{p + ".py", path.Join(p, "__init__.py"), p + ".pyi", path.Join(p, "__init__.pyi")} {
		if s := r.files[f]; s != nil && s.Language == source.Python {
			return f, true
		}
	}
	return "", false
}
