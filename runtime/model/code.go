package model

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"evolve/runtime/tool"
)

var (
	importWords  = regexp.MustCompile(`\b(imports?|imported|importing|importers?|depends?|dependenc(?:y|ies)|dependents?|cycles?|circular|orphan(?:s|ed)?|core (?:modules?|packages?))\b`)
	summaryWords = regexp.MustCompile(`\b(functions?|types?|structs?)\b`)
	indexWords   = regexp.MustCompile(`\b(entry ?points?|lines of code)\b`)
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

// symbolAsked returns the identifier named in a goal about code.
func (q *question) symbolAsked() string {
	for _, s := range q.quoted {
		if !strings.ContainsAny(s, " ") {
			return strings.Trim(s, "().")
		}
	}
	words := symbol.FindAllString(q.text, 10)
	for i, w := range words {
		if i == 0 && strings.HasPrefix(q.text, w) {
			continue // capitalised because it starts the sentence
		}
		return w
	}
	return ""
}

// fromDependencies returns the items in the output of dependency_map that answer the
// question.
func (q *question) fromDependencies(output string) []string {
	var m tool.DependencyMap
	if json.Unmarshal([]byte(output), &m) != nil {
		return nil
	}
	switch {
	case q.contains("cycle", "circular"):
		var out []string
		for _, c := range m.Cycles {
			out = append(out, strings.Join(c, " and "))
		}
		return orNone(out)
	case q.contains("orphan"):
		return orNone(m.Orphans)
	case q.contains("core module", "core package"):
		return orNone(m.Core)
	}
	of := func(what string) int {
		return slices.IndexFunc(m.Packages, func(p tool.Imports) bool { return p.Package == what || path.Base(p.Package) == what })
	}
	if i := of(firstGroup(itsImports.FindStringSubmatch(q.lower))); i >= 0 {
		return orNone(m.Packages[i].Imports)
	}
	what := firstGroup(importedBy.FindStringSubmatch(q.lower))
	if what == "" {
		what = firstGroup(whoImports.FindStringSubmatch(q.lower))
	}
	if i := of(what); i >= 0 {
		return orNone(m.Packages[i].ImportedBy)
	}
	return nil
}

func orNone(items []string) []string {
	if len(items) == 0 {
		return []string{"none"}
	}
	return items
}

// fromSummary returns the items in the output of file_summary that answer the question.
func (q *question) fromSummary(output string) []string {
	var s tool.FileSummary
	if json.Unmarshal([]byte(output), &s) != nil {
		return nil
	}
	if q.contains("function") {
		return orNone(s.Functions)
	}
	return orNone(s.Types)
}

// fromIndex returns the items in the output of repo_index that answer the question.
func (q *question) fromIndex(output string) []string {
	var x tool.RepoIndex
	if json.Unmarshal([]byte(output), &x) != nil {
		return nil
	}
	if q.contains("entry point", "entrypoint") {
		return orNone(x.EntryPoints)
	}
	for _, l := range x.Languages {
		if q.match(l.Name) != 0 || q.contains(" "+strings.ToLower(l.Name)+" ") {
			return []string{strconv.Itoa(l.Lines)}
		}
	}
	return []string{strconv.Itoa(x.Lines)}
}
