package tool

import (
	"context"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"evolve/runtime/agent"
)

// maxDoc bounds the doc of a summary, in bytes.
const maxDoc = 200

// FileSummary is what file_summary returns. For a file that is no Go, Headings
// and Doc alone are filled.
type FileSummary struct {
	Path       string   `json:"path"`
	Lines      int      `json:"lines"`
	Package    string   `json:"package,omitempty"`
	Doc        string   `json:"doc,omitempty"`
	Purpose    string   `json:"purpose,omitempty"`
	Types      []string `json:"types,omitempty"`
	Functions  []string `json:"functions,omitempty"`
	Exported   []string `json:"exported,omitempty"` // what others integrate with
	Imports    []string `json:"imports,omitempty"`
	ImportedBy []string `json:"imported_by,omitempty"` // folders that import the file's package
	Headings   []string `json:"headings,omitempty"`
}

func fileSummary() Tool {
	return define("file_summary",
		"One file in short, as JSON: doc, purpose, types, functions, imports, exported names, who imports it.",
		`{"type":"object","required":["path"],"additionalProperties":false,"properties":{"path":{"type":"string","minLength":1,"maxLength":1000}}}`,
		Available, []string{"engineering"},
		func(_ context.Context, env *Env, a readFileArgs) Result {
			text, err := env.Text(a.Path)
			if err != nil {
				return failed(err)
			}
			clean := path.Clean(a.Path)
			s := FileSummary{Path: clean, Lines: lineCount(text)}
			if path.Ext(clean) != ".go" {
				s.Headings, s.Doc = outline(text)
				return asJSON(s)
			}
			repo, err := env.repository()
			if err != nil {
				return failed(err)
			}
			g := repo.files[clean]
			if g == nil {
				return Failed(agent.Execution, "is no readable Go file")
			}
			pkg := repo.packages[path.Dir(clean)]
			s.Package, s.Types, s.Functions, s.Imports = g.name, g.types, g.funcs, g.imports
			s.Doc = clip(g.doc, maxDoc)
			s.Purpose = clip(firstSentence(g.doc), maxDoc)
			s.ImportedBy = pkg.importers
			for _, n := range append(append([]string{}, g.types...), g.funcs...) {
				last := n[strings.LastIndexByte(n, '.')+1:]
				if r, _ := utf8.DecodeRuneInString(last); unicode.IsUpper(r) {
					s.Exported = append(s.Exported, n)
				}
			}
			return asJSON(s)
		})
}

// outline reads the headings of a Markdown-like text and its first paragraph.
func outline(text string) (headings []string, doc string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
			headings = append(headings, strings.TrimSpace(strings.TrimLeft(line, "#")))
		case doc == "" && line != "":
			doc = clip(line, maxDoc)
		}
	}
	return headings, doc
}
