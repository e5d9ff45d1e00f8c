package model

import (
	"encoding/json"
	"path"
	"regexp"
	"strconv"
	"strings"

	"evolve/runtime/tool"
)

var (
	importWords  = regexp.MustCompile(`\b(imports?|imported|importing|importers?|depends?|dependenc(?:y|ies)|dependents?|cycles?|circular|orphan(?:s|ed)?|core (?:modules?|packages?))\b`)
	summaryWords = regexp.MustCompile(`\b(functions?|types?|methods?|structs?|exported|exports|imports?|purpose)\b`)
	indexWords   = regexp.MustCompile(`\b(entry ?points?|lines of code|languages?|how many (?:directories|folders|go files|packages)|repository structure|which (?:directory|folder))\b`)
	defineWords  = regexp.MustCompile(`\b(?:define[sd]?|declare[sd]?|implement(?:s|ed)?|definition of|declaration of)\b`)
	symbol       = regexp.MustCompile(`\b(?:[A-Z][A-Za-z0-9]+|[a-z]+[A-Z][A-Za-z0-9]*|[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+)\b`)
	whoImports   = regexp.MustCompile("(?:which|what|who|list)[^?]*?\\b(?:import|imports|depend on|depends on|use|uses)\\b (?:the )?(?:package )?[`\"]?([a-z0-9_/.-]+)")
	importedBy   = regexp.MustCompile("[`\"]?([a-z0-9_/.-]+)[`\"]? (?:is |gets )?imported by|importers of (?:the )?(?:package )?[`\"]?([a-z0-9_/.-]+)|dependents of (?:the )?(?:package )?[`\"]?([a-z0-9_/.-]+)")
	itsImports   = regexp.MustCompile("(?:does|do) (?:the )?(?:package )?[`\"]?([a-z0-9_/.-]+)[`\"]?(?: package)? (?:import|depend on)|imports of (?:the )?(?:package )?[`\"]?([a-z0-9_/.-]+)|dependencies of (?:the )?(?:package )?[`\"]?([a-z0-9_/.-]+)")
)

func firstGroup(m []string) string {
	for _, g := range m[min(1, len(m)):] {
		if g != "" {
			return strings.Trim(g, "./`\"?")
		}
	}
	return ""
}

// symbolAsked returns the identifier that a goal about code names.
func (q *question) symbolAsked() string {
	for _, s := range q.quoted {
		if !strings.ContainsAny(s, " ") {
			return strings.Trim(s, "().")
		}
	}
	words := symbol.FindAllString(q.text, 10)
	for i, w := range words {
		if i == 0 && strings.HasPrefix(q.text, w) {
			continue // the capital at the start of the sentence
		}
		return w
	}
	return ""
}

// fromDependencies answers from the output of dependency_map.
func (q *question) fromDependencies(output string) []string {
	var m tool.DependencyMap
	if json.Unmarshal([]byte(output), &m) != nil {
		return nil
	}
	of := func(what string) (tool.Imports, bool) {
		for _, p := range m.Packages {
			if p.Package == what || path.Base(p.Package) == what {
				return p, true
			}
		}
		return tool.Imports{}, false
	}
	switch {
	case q.says("cycle", "circular"):
		var out []string
		for _, c := range m.Cycles {
			out = append(out, strings.Join(c, " and "))
		}
		return orNone(out)
	case q.says("orphan"):
		return orNone(m.Orphans)
	case q.says("core module", "core package"):
		return orNone(m.Core)
	}
	if what := firstGroup(itsImports.FindStringSubmatch(q.lower)); what != "" {
		if p, ok := of(what); ok {
			return orNone(p.Imports)
		}
	}
	what := firstGroup(importedBy.FindStringSubmatch(q.lower))
	if what == "" {
		what = firstGroup(whoImports.FindStringSubmatch(q.lower))
	}
	if p, ok := of(what); ok {
		return orNone(p.ImportedBy)
	}
	return nil
}

func orNone(items []string) []string {
	if len(items) == 0 {
		return []string{"none"}
	}
	return items
}

// fromSummary answers from the output of file_summary.
func (q *question) fromSummary(output string) []string {
	var s tool.FileSummary
	if json.Unmarshal([]byte(output), &s) != nil {
		return nil
	}
	switch {
	case q.says("exported"):
		if q.says("function") {
			return orNone(only(s.Exported, s.Functions))
		}
		if q.says("type") {
			return orNone(only(s.Exported, s.Types))
		}
		return orNone(s.Exported)
	case q.says("imported by", "who imports", "importers"):
		return orNone(s.ImportedBy)
	case q.says("import"):
		return orNone(s.Imports)
	case q.says("method"):
		var out []string
		for _, f := range s.Functions {
			if strings.Contains(f, ".") {
				out = append(out, f)
			}
		}
		return orNone(out)
	case q.says("function"):
		return orNone(s.Functions)
	case q.says("type", "struct"):
		return orNone(s.Types)
	case q.says("line"):
		return []string{strconv.Itoa(s.Lines)}
	case q.says("package") && s.Package != "":
		return []string{s.Package}
	case q.says("purpose", "about", "does", "doc") && s.Doc != "":
		return []string{s.Doc}
	}
	return nil
}

func only(items, of []string) []string {
	in := map[string]bool{}
	for _, s := range of {
		in[s] = true
	}
	var out []string
	for _, s := range items {
		if in[s] {
			out = append(out, s)
		}
	}
	return out
}

// fromIndex answers from the output of repo_index.
func (q *question) fromIndex(output string) []string {
	var x tool.RepoIndex
	if json.Unmarshal([]byte(output), &x) != nil {
		return nil
	}
	switch {
	case q.says("entry point", "entrypoint"):
		return orNone(x.EntryPoints)
	case q.says("lines of code"):
		for _, l := range x.Languages {
			if q.match(l.Name) != 0 || q.says(" "+strings.ToLower(l.Name)+" ") {
				return []string{strconv.Itoa(l.Lines)}
			}
		}
		return []string{strconv.Itoa(x.Lines)}
	case q.says("language"):
		var out []string
		for _, l := range x.Languages {
			if l.Name != "Other" {
				out = append(out, l.Name)
			}
		}
		if !q.list && len(out) > 1 && q.says("main language", "which language", "most") {
			out = out[:1]
		}
		return orNone(out)
	case q.says("go files"):
		for _, l := range x.Languages {
			if l.Name == "Go" {
				return []string{strconv.Itoa(l.Files)}
			}
		}
		return []string{"0"}
	case q.says("directories", "folders", "packages", "directory", "folder"):
		best, top := -1, 0.0
		var all []string
		for i, d := range x.Directories {
			all = append(all, d.Path)
			if w := q.weight(q.match(d.Description)); w > top {
				best, top = i, w
			}
		}
		if best >= 0 && !q.count && !q.list {
			return []string{x.Directories[best].Path}
		}
		return orNone(all)
	}
	return nil
}
