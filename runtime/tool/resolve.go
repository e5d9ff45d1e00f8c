package tool

import (
	"path"
	"strings"

	"evolve/runtime/source"
)

// resolve maps an import of a file to nodes of the repository; none when it leads
// elsewhere. A returned folder of Go need not be a node.
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

// folderOf maps an import path of the Go module to its folder.
func (r *repository) folderOf(imp string) (string, bool) {
	if r.module == "" {
		return "", false
	}
	if imp == r.module {
		return ".", true
	}
	return strings.CutPrefix(imp, r.module+"/")
}

// inside joins a relative path to a folder and reports whether it stays in the
// repository.
func inside(folder, rel string) (string, bool) {
	p := path.Join(folder, rel)
	return p, p != ".." && !strings.HasPrefix(p, "../") && !path.IsAbs(p)
}

// scriptEndings are tried in this order for a specifier without an extension.
var scriptEndings = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts"}

// resolveScript finds the file of a relative specifier: unchanged, with an extension,
// as a folder's index, or by the extension of its compiled file.
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

// resolvePython finds the files of a module and of the names imported from it. An
// absolute name is searched from the root, from src, and from the folders above the
// importing file, which may be on Python's path.
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
		// import a.b.c, where c is a name in the module a.b.
		return r.resolvePython(from, source.Import{Path: name[:i], Kind: imp.Kind})
	}
	return nil
}

// modules returns the files of a module below a folder: those of its named submodules,
// and the module itself unless the names are all submodules.
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

// pythonFile returns the file of a Python module by its path without extension.
func (r *repository) pythonFile(p string) (string, bool) {
	for _, f := range []string{p + ".py", path.Join(p, "__init__.py"), p + ".pyi", path.Join(p, "__init__.pyi")} {
		if s := r.files[f]; s != nil && s.Language == source.Python {
			return f, true
		}
	}
	return "", false
}
