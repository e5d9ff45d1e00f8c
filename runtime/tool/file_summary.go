package tool

import (
	"context"
	"path"
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/source"
	foreign "evolve/runtime/text"
)

// maxDoc is the maximum length of a summary's Doc, in bytes.
const maxDoc = 200

// FileSummary is the result of file_summary. For a file that is not source code, only
// Path, Lines, Headings and Doc are set.
type FileSummary struct {
	Path       string   `json:"path"`
	Lines      int      `json:"lines"`
	Language   string   `json:"language,omitempty"`
	Package    string   `json:"package,omitempty"`
	Doc        string   `json:"doc,omitempty"`
	Purpose    string   `json:"purpose,omitempty"`
	Types      []string `json:"types,omitempty"`
	Functions  []string `json:"functions,omitempty"`
	Exported   []string `json:"exported,omitempty"` // names that other files can use
	Imports    []string `json:"imports,omitempty"`
	ImportedBy []string `json:"imported_by,omitempty"` // folders or files that import it
	Headings   []string `json:"headings,omitempty"`
	// Kinds holds the kinds of the types, in the order of Types.
	Kinds []string `json:"type_kinds,omitempty"`
	// Signatures holds the signatures of the functions, in the order of Functions.
	Signatures []string `json:"signatures,omitempty"`
	// Origins holds the imports by origin.
	Origins *Origins `json:"import_origins,omitempty"`
	// Integration lists what the file uses outside itself: network, files, environment,
	// processes, database.
	Integration []string `json:"integration_points,omitempty"`
	Tags        string   `json:"build_tags,omitempty"`
	EntryPoint  string   `json:"entry_point,omitempty"` // why the file is an entry point
	Tests       []string `json:"tests,omitempty"`
	// Withheld reports whether the file seems to contain a credential.
	Withheld bool `json:"withheld,omitempty"`
	// Truncated reports whether the file or a list was longer than its limit.
	Truncated bool `json:"truncated,omitempty"`
}

// Origins holds imports by kind.
type Origins struct {
	Standard   []string `json:"standard,omitempty"`
	Internal   []string `json:"internal,omitempty"`
	ThirdParty []string `json:"third_party,omitempty"`
}

func fileSummary() Tool {
	return define("file_summary",
		"One file in short, as JSON: doc, purpose, types, functions, imports, exported names, integration points, who imports it. Knows Go, Python, JavaScript and TypeScript.",
		`{"type":"object","required":["path"],"additionalProperties":false,"properties":{"path":{"type":"string","minLength":1,"maxLength":1000}}}`,
		Available, []string{"engineering"},
		func(ctx context.Context, env *Env, a readFileArgs) Result {
			text, err := env.Text(a.Path)
			if err != nil {
				return failed(err)
			}
			clean := path.Clean(a.Path)
			s := FileSummary{Path: clean, Lines: lineCount(text)}
			if env.withheld(clean, text) {
				return asJSON(FileSummary{Path: clean, Withheld: true})
			}
			language, ok := source.LanguageOf(clean)
			if !ok {
				s.Headings, s.Doc = outline(text)
				return s.fitting()
			}
			repo, err := env.repository(ctx)
			if err != nil {
				return failed(err)
			}
			f := repo.files[clean]
			if f == nil { // the file exceeds the limit on source text, or is other people's code
				one, err := source.Summarize(clean, []byte(text))
				if err != nil {
					return Failed(agent.Execution, "is not a readable %s file", language)
				}
				f = &one
			}
			s.fill(f)
			if n := repo.nodes[repo.name(f)]; n != nil {
				s.ImportedBy = n.importers
			}
			if by := repo.started[clean]; by != "" && s.EntryPoint == "" {
				s.EntryPoint = by
			}
			return s.fitting()
		})
}

// fill copies the summary of the source code into s.
func (s *FileSummary) fill(f *source.Summary) {
	s.Language, s.Package, s.Doc = string(f.Language), f.Package, f.Doc
	s.Purpose = foreign.Clip(firstSentence(f.Doc), maxDoc)
	s.Tags, s.EntryPoint, s.Tests, s.Truncated = f.Tags, f.Entry, f.Tests, f.Truncated
	for _, t := range f.Types {
		s.Types, s.Kinds = append(s.Types, t.Name), append(s.Kinds, t.Kind)
		if t.Exported {
			s.Exported = append(s.Exported, t.Name)
		}
	}
	for _, fn := range f.Functions {
		s.Functions, s.Signatures = append(s.Functions, fn.Name), append(s.Signatures, fn.Signature)
		if fn.Exported {
			s.Exported = append(s.Exported, fn.Name)
		}
	}
	var o Origins
	for _, imp := range f.Imports {
		if slices.Contains(s.Imports, imp.Path) {
			continue // the module is imported in several forms and already listed
		}
		s.Imports = append(s.Imports, imp.Path)
		switch imp.Kind {
		case source.Standard:
			o.Standard = append(o.Standard, imp.Path)
		case source.Internal:
			o.Internal = append(o.Internal, imp.Path)
		default:
			o.ThirdParty = append(o.ThirdParty, imp.Path)
		}
	}
	if len(s.Imports) > 0 {
		s.Origins = &o
	}
	for _, t := range f.Touches {
		s.Integration = append(s.Integration, string(t))
	}
}

// fitting returns the summary as a result. If all lists together are too long, it cuts each
// of them to the same maximum length.
func (s FileSummary) fitting() Result {
	whole := s
	lists := func(s *FileSummary) []*[]string {
		return []*[]string{
			&s.Types, &s.Kinds, &s.Functions, &s.Signatures, &s.Exported, &s.Imports, &s.ImportedBy, &s.Headings, &s.Tests,
			&s.Origins.Standard, &s.Origins.Internal, &s.Origins.ThirdParty,
		}
	}
	longest := 0
	if whole.Origins == nil {
		whole.Origins = &Origins{}
	}
	for _, l := range lists(&whole) {
		longest = max(longest, len(*l))
	}
	return fitting(longest, func(n int) any {
		cut := whole
		origins := *whole.Origins
		cut.Origins = &origins
		for _, l := range lists(&cut) {
			*l = (*l)[:min(n, len(*l))]
		}
		if s.Origins == nil {
			cut.Origins = nil
		}
		cut.Truncated = s.Truncated || n < longest
		return cut
	})
}

// outline returns the headings of a Markdown-like text and its first line that is not a
// heading.
func outline(text string) (headings []string, doc string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
			headings = append(headings, strings.TrimSpace(strings.TrimLeft(line, "#")))
		case doc == "" && line != "":
			doc = foreign.Clip(line, maxDoc)
		}
	}
	return headings, doc
}
