package gotest

import (
	"path"
	"slices"
	"strings"
)

var (
	documentEndings = []string{".md", ".markdown", ".rst", ".adoc", ".asciidoc", ".txt"}
	documentNames   = []string{"readme", "license", "licence", "notice", "authors", "contributors", "changelog"}
)

// document reports whether a changed path is a text for people outside every module of
// base and candidate. No package can embed it, so that there is nothing to build or to
// test; inside a module a package may, and its tests may read it.
func (l *laid) document(p string) bool {
	name := strings.ToLower(path.Base(p))
	if !slices.Contains(documentEndings, path.Ext(name)) && !slices.Contains(documentNames, name) {
		return false
	}
	for _, list := range [][]module{l.was.modules, l.is.modules} {
		if _, within := moduleOf(list, path.Dir(p)); within {
			return false
		}
	}
	return true
}

// onlyDocuments reports whether the patch changes documents and nothing else.
func (l *laid) onlyDocuments() bool {
	return len(l.changed) > 0 && len(l.fresh) == 0 && !slices.ContainsFunc(l.changed, func(p string) bool { return !l.document(p) })
}

// noCode is the evidence of gates that have nothing to look at in such a patch.
func (l *laid) noCode() string {
	return "documents outside every module alone are changed: " + some(l.changed)
}
