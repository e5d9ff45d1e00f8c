package tool

import (
	"context"
	"path"
	"slices"
	"strings"
)

// RepoIndex is what repo_index returns.
type RepoIndex struct {
	Module      string      `json:"module,omitempty"`
	Files       int         `json:"files"`
	Lines       int         `json:"lines"`
	Languages   []Language  `json:"languages"`
	Directories []Directory `json:"directories"`
	EntryPoints []string    `json:"entry_points"`
}

// Language counts the files and lines in it; the one with the most lines comes first.
type Language struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
	Lines int    `json:"lines"`
}

// Directory is a folder with files of its own.
type Directory struct {
	Path        string `json:"path"`
	Description string `json:"description,omitempty"`
	Files       int    `json:"files"`
	Lines       int    `json:"lines"`
}

func repoIndex() Tool {
	return define("repo_index",
		"The repository at a glance, as JSON: directories with descriptions, files, lines, languages, entry points.",
		`{"type":"object","additionalProperties":false}`,
		Available, []string{"engineering"},
		func(_ context.Context, env *Env, _ struct{}) Result {
			repo, err := env.repository()
			if err != nil {
				return failed(err)
			}
			files, err := env.Files()
			if err != nil {
				return failed(err)
			}
			x := RepoIndex{Module: repo.module, Languages: []Language{}, Directories: []Directory{}, EntryPoints: []string{}}
			languages, folders := map[string]*Language{}, map[string]*Directory{}
			for _, f := range files {
				if f.Dir {
					continue
				}
				text, err := env.Text(f.Path)
				if err != nil {
					continue // binary: no lines of code
				}
				n := lineCount(text)
				x.Files++
				x.Lines += n
				name := languageOf(f.Path)
				l := languages[name]
				if l == nil {
					l = &Language{Name: name}
					languages[name] = l
				}
				l.Files++
				l.Lines += n
				folder := path.Dir(f.Path)
				d := folders[folder]
				if d == nil {
					d = &Directory{Path: folder}
					folders[folder] = d
				}
				d.Files++
				d.Lines += n
				if g := repo.files[f.Path]; g != nil {
					if d.Description == "" && !g.test {
						d.Description = clip(firstSentence(g.doc), maxDoc)
					}
					if g.name == "main" && slices.Contains(g.funcs, "main") {
						x.EntryPoints = append(x.EntryPoints, f.Path)
					}
				}
			}
			for _, name := range sorted(languages) {
				x.Languages = append(x.Languages, *languages[name])
			}
			slices.SortStableFunc(x.Languages, func(a, b Language) int { return b.Lines - a.Lines })
			for _, folder := range sorted(folders) {
				x.Directories = append(x.Directories, *folders[folder])
			}
			return asJSON(x)
		})
}

func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

func languageOf(p string) string {
	switch path.Ext(p) {
	case ".go":
		return "Go"
	case ".py":
		return "Python"
	case ".js", ".mjs":
		return "JavaScript"
	case ".ts", ".tsx":
		return "TypeScript"
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
