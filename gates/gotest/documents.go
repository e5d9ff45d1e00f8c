package gotest

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

var (
	documentEndings = []string{".md", ".markdown", ".rst", ".adoc", ".asciidoc", ".txt"}
	documentNames   = []string{"readme", "license", "licence", "notice", "authors", "contributors", "changelog"}
)

// document reports whether a changed path is a document, judging by its name. Outside every
// module of base and candidate it needs no further check, because no package can embed it,
// so there is nothing to build or test. Inside a module it is a document only if no Go file
// in base or candidate embeds it or contains a string with its name, its extension or its
// folder.
func (l *layout) document(p string) bool {
	name := strings.ToLower(path.Base(p))
	if !slices.Contains(documentEndings, path.Ext(name)) && !slices.Contains(documentNames, name) {
		return false
	}
	if slices.Contains(strings.Split(path.Dir(p), "/"), "testdata") {
		return false
	}
	return l.inNoModule(p) || !l.strings.names(p)
}

// inNoModule reports whether a path is outside every module of base and candidate.
func (l *layout) inNoModule(p string) bool {
	for _, list := range [][]module{l.was.modules, l.is.modules} {
		if _, within := moduleOf(list, path.Dir(p)); within {
			return false
		}
	}
	return true
}

// onlyDocuments reports whether the patch changes documents and nothing else.
func (l *layout) onlyDocuments() bool {
	return len(l.changed) > 0 && len(l.fresh) == 0 && !slices.ContainsFunc(l.changed, func(p string) bool { return !l.document(p) })
}

// onlyTests reports whether the patch adds tests and changes nothing else.
func (l *layout) onlyTests() bool { return len(l.changed) == 0 && len(l.fresh) > 0 }

// idle returns the evidence for gates that do not apply to the patch because it consists
// only of documents or only of tests; it returns "" for other patches.
func (l *layout) idle() string {
	switch {
	case l.onlyTests():
		return "not applicable: the patch adds tests and changes no package"
	case !l.onlyDocuments():
		return ""
	case !slices.ContainsFunc(l.changed, func(p string) bool { return !l.inNoModule(p) }):
		return "only documents outside every module are changed: " + some(l.changed)
	}
	return "not applicable: only documents are changed, and no Go file embeds or names them: " + some(l.changed)
}

// touched returns the modules with affected packages and the modules with changed
// documents, because the tests of any package may read a document.
func (l *layout) touched() []module {
	out := modulesOf(l.affected)
	for _, p := range l.changed {
		if m, ok := moduleOf(l.is.modules, path.Dir(p)); ok && l.document(p) && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// goStrings contains the strings in the Go files of one or more trees, except import
// paths. It also contains the patterns of embedded files, as paths from the root of the
// tree.
type goStrings struct{ texts, embeds []string }

// names reports whether a document is embedded, or whether its name, extension or folder is
// part of a string.
func (s goStrings) names(p string) bool {
	if slices.ContainsFunc(s.embeds, func(pattern string) bool { return covers(pattern, p) }) {
		return true
	}
	folder := path.Base(path.Dir(p))
	return slices.ContainsFunc(s.texts, func(text string) bool {
		return strings.Contains(text, path.Base(p)) || ends(text, path.Ext(p)) ||
			folder != "." && slices.Contains(strings.Split(filepath.ToSlash(text), "/"), folder)
	})
}

// ends reports whether a string is the given extension, or is a pattern or format that
// contains it.
func ends(text, ending string) bool {
	if ending == "" {
		return false
	}
	return text == ending || text == ending[1:] || strings.Contains(text, ending) && strings.ContainsAny(text, "*?[%{")
}

// read adds the strings of the Go files below a folder.
func (s *goStrings) read(root string) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(name, ".go") {
			return err
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		for _, pattern := range embedded(src) {
			s.embeds = append(s.embeds, path.Join(path.Dir(filepath.ToSlash(rel)), pattern))
		}
		var in scanner.Scanner
		in.Init(token.NewFileSet().AddFile(name, -1, len(src)), src, func(token.Position, string) {}, 0)
		for imports := false; ; {
			switch _, kind, text := in.Scan(); kind {
			case token.EOF:
				return nil
			case token.IMPORT:
				imports = true
			case token.CONST, token.VAR, token.TYPE, token.FUNC:
				imports = false
			case token.STRING:
				if t, err := strconv.Unquote(text); err == nil && !imports {
					s.texts = append(s.texts, t)
				}
			}
		}
	})
}
