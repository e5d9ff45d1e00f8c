package tool

import (
	"context"
	"path"
	"slices"
	"strings"

	"evolve/runtime/source"
	foreign "evolve/runtime/text"
)

// RepoIndex is the result of repo_index.
type RepoIndex struct {
	Module      string      `json:"module,omitempty"`
	Files       int         `json:"files"`
	Lines       int         `json:"lines"`
	Languages   []Language  `json:"languages"`
	Directories []Directory `json:"directories"`
	EntryPoints []string    `json:"entry_points"`
	// Withheld lists files that seem to contain a credential. They count as files, but
	// their contents are left out.
	Withheld []string `json:"withheld,omitempty"`
	// Truncated reports whether source text was not read or entries were left out.
	Truncated bool `json:"truncated,omitempty"`
}

// Language holds the number of files and lines in one language. [RepoIndex] lists the
// language with the most lines first.
type Language struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
	Lines int    `json:"lines"`
}

// Directory is a folder that directly contains files.
type Directory struct {
	Path        string `json:"path"`
	Description string `json:"description,omitempty"`
	Files       int    `json:"files"`
	Lines       int    `json:"lines"`
}

func repoIndex() Tool {
	return define("repo_index",
		"The repository at a glance, as JSON: directories with descriptions, files, lines of code, languages, entry points.",
		`{"type":"object","additionalProperties":false}`,
		Available, []string{"engineering"},
		func(ctx context.Context, env *Env, _ struct{}) Result {
			repo, err := env.repository(ctx)
			if err != nil {
				return failed(err)
			}
			files, err := env.Files()
			if err != nil {
				return failed(err)
			}
			return indexOf(env, repo, files)
		})
}

// indexOf counts the files by language and by folder.
func indexOf(env *Env, repo *repository, files []File) Result {
	x := RepoIndex{Module: repo.module, Languages: []Language{}, EntryPoints: []string{}, Truncated: repo.truncated}
	languages, folders := map[string]*Language{}, map[string]*Directory{}
	for _, f := range files {
		if f.Dir {
			continue
		}
		text, err := env.Text(f.Path)
		if err != nil {
			continue // binary, so no lines of code
		}
		x.Files++
		if env.withheld(f.Path, text) {
			x.Withheld = append(x.Withheld, f.Path)
			continue
		}
		n := lineCount(text)
		x.Lines += n
		l := of(languages, languageOf(f.Path))
		l.Files++
		l.Lines += n
		d := of(folders, path.Dir(f.Path))
		d.Files++
		d.Lines += n
		s := repo.files[f.Path]
		if s != nil && !s.Test && (d.Description == "" || s.Doc != "" && speaksForFolder(f.Path)) {
			d.Description = foreign.Clip(firstSentence(s.Doc), maxDoc)
		}
		if s != nil && s.Entry != "" || repo.started[f.Path] != "" {
			x.EntryPoints = append(x.EntryPoints, f.Path)
		}
	}
	for _, name := range sorted(languages) {
		l := languages[name]
		l.Name = name
		x.Languages = append(x.Languages, *l)
	}
	slices.SortStableFunc(x.Languages, func(a, b Language) int { return b.Lines - a.Lines })
	for _, l := range []*[]string{&x.EntryPoints, &x.Withheld} {
		kept, whole := some(*l)
		*l, x.Truncated = kept, x.Truncated || !whole
	}
	all := make([]Directory, 0, len(folders))
	for _, folder := range sorted(folders) {
		d := folders[folder]
		d.Path = folder
		all = append(all, *d)
	}
	return fitting(len(all), func(n int) any {
		x.Directories, x.Truncated = all[:n], x.Truncated || n < len(all)
		return x
	})
}

// of returns the entry for a key, adding it if it does not exist.
func of[V any](m map[string]*V, key string) *V {
	if m[key] == nil {
		m[key] = new(V)
	}
	return m[key]
}

// speaksForFolder reports whether a file is one whose doc conventionally describes the
// whole folder, such as __init__.py.
func speaksForFolder(p string) bool {
	base := path.Base(p)
	return base == "__init__.py" || strings.HasPrefix(base, "index.")
}

func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

func languageOf(p string) string {
	if l, ok := source.LanguageOf(p); ok {
		return string(l)
	}
	switch path.Ext(p) {
	case ".sh":
		return "Shell"
	case ".md":
		return "Markdown"
	case ".json", ".yaml", ".yml", ".toml":
		return "Config"
	case ".csv", ".tsv":
		return "Data"
	case ".sql":
		return "SQL"
	case ".html", ".css":
		return "Web"
	}
	return "Other"
}

func firstSentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}
