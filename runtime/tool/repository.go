package tool

import (
	"context"
	"path"
	"slices"
	"strings"

	"evolve/runtime/source"
)

// maxLexed limits how much Python, JavaScript and TypeScript is read from one repository,
// in bytes. Reading a byte takes about a microsecond, and up to three for hostile text.
const maxLexed = 2 << 20

// repository holds the summaries of the source files below the root. It is built once per
// evaluation, when it is first used.
type repository struct {
	module    string // from go.mod; "" if there is none
	files     map[string]*source.Summary
	nodes     map[string]*node  // by name
	started   map[string]string // the file that declares an entry point, by the entry point's path
	withheld  []string          // files that are flagged
	truncated bool              // not all source text was read
}

// node is one vertex of the dependency graph: the non-test part of a Go package, named by
// its folder, or a file of another language, named by its path. imports and importers hold
// names from the same repository.
type node struct {
	name      string
	language  source.Language
	label     string // the name in the package clause of a Go package
	imports   []string
	importers []string
	testOnly  bool
	entry     bool
}

func (e *Env) repository(ctx context.Context) (*repository, error) {
	if e.repo != nil {
		return e.repo, nil
	}
	files, err := e.Files()
	if err != nil {
		return nil, err
	}
	r := &repository{files: map[string]*source.Summary{}, nodes: map[string]*node{}, started: map[string]string{}}
	lexed := 0
	for _, f := range files {
		if ctx.Err() != nil {
			return nil, refuse(outcomeOf(ctx), "stopped while reading the repository")
		}
		language, ok := source.LanguageOf(f.Path)
		base := path.Base(f.Path)
		if f.Dir || !ok && f.Path != "go.mod" && base != "package.json" || skipped(f.Path) {
			continue
		}
		text, err := e.Text(f.Path)
		if err != nil {
			continue
		}
		if e.withheld(f.Path, text) {
			r.withheld = append(r.withheld, f.Path)
			continue
		}
		switch {
		case f.Path == "go.mod":
			r.module = moduleName(text)
			continue
		case base == "package.json":
			for _, p := range source.Manifest([]byte(text)) {
				r.started[path.Join(path.Dir(f.Path), p)] = f.Path
			}
			continue
		case language != source.Go:
			if lexed += min(len(text), source.MaxLexed); lexed > maxLexed {
				r.truncated = true
				continue
			}
		}
		if s, err := source.Summarize(f.Path, []byte(text)); err == nil {
			r.files[f.Path] = &s
			r.truncated = r.truncated || s.Truncated
		}
	}
	r.link()
	e.repo = r
	return r, nil
}

// skipped reports whether a path lies in a folder that contains other people's code.
func skipped(p string) bool {
	return strings.HasPrefix(p, "node_modules/") || strings.Contains(p, "/node_modules/")
}

func moduleName(mod string) string {
	for line := range strings.Lines(mod) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.Trim(strings.TrimSpace(rest), `"`)
		}
	}
	return ""
}

// link builds the dependency graph, without the imports of tests.
func (r *repository) link() {
	for _, p := range sorted(r.files) {
		s := r.files[p]
		n := r.node(s)
		if s.Language == source.Go {
			s.Within(r.module)
			if s.Test {
				continue
			}
			n.testOnly, n.label = false, s.Package
			n.entry = s.Package == "main"
		} else {
			n.testOnly = s.Test
			n.entry = s.Entry != "" || r.started[p] != ""
		}
		for i := range s.Imports {
			targets := r.resolve(s, s.Imports[i])
			if len(targets) > 0 {
				s.Imports[i].Kind = source.Internal
			}
			for _, to := range targets {
				if !s.Test && !slices.Contains(n.imports, to) && (to != n.name || s.Language == source.Go) {
					n.imports = append(n.imports, to)
				}
			}
		}
	}
	for _, name := range sorted(r.nodes) {
		n := r.nodes[name]
		slices.Sort(n.imports)
		for _, to := range n.imports {
			if target := r.nodes[to]; target != nil {
				target.importers = append(target.importers, name)
			}
		}
	}
}

// name returns the name of the vertex to which a file belongs.
func (r *repository) name(s *source.Summary) string {
	if s.Language == source.Go {
		return path.Dir(s.Path)
	}
	return s.Path
}

func (r *repository) node(s *source.Summary) *node {
	name := r.name(s)
	n := r.nodes[name]
	if n == nil {
		n = &node{name: name, language: s.Language, label: s.Package, testOnly: true}
		r.nodes[name] = n
	}
	return n
}

// find returns the node for a name in any form that people use: its name in the graph, its
// import path, the last elements of its folder's path, the package's own name, or a file
// without its extension or with dots instead of slashes.
func (r *repository) find(what string) (*node, bool) {
	what = strings.Trim(strings.TrimPrefix(what, "./"), "/")
	if n, ok := r.nodes[what]; ok {
		return n, true
	}
	if folder, ok := r.folderOf(what); ok {
		if n, ok := r.nodes[folder]; ok {
			return n, true
		}
	}
	names := sorted(r.nodes)
	for _, name := range names {
		n := r.nodes[name]
		if n.language == source.Go &&
			(path.Base(name) == what || strings.HasSuffix(name, "/"+what) || (n.label == what && what != "main")) {
			return n, true
		}
	}
	for _, name := range names {
		n := r.nodes[name]
		stem := strings.TrimSuffix(name, path.Ext(name))
		stem = strings.TrimSuffix(strings.TrimSuffix(stem, "/__init__"), "/index")
		if n.language != source.Go &&
			(stem == what || strings.ReplaceAll(stem, "/", ".") == what || path.Base(stem) == what || path.Base(name) == what) {
			return n, true
		}
	}
	return nil, false
}

// cycles returns the groups of nodes that import one another in a cycle (strongly connected
// components of more than one node, after Tarjan), each sorted.
func (r *repository) cycles() [][]string {
	var (
		out   [][]string
		stack []string
		index = map[string]int{}
		low   = map[string]int{}
		on    = map[string]bool{}
		visit func(v string)
	)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack = append(stack, v)
		on[v] = true
		for _, w := range r.nodes[v].imports {
			if r.nodes[w] == nil {
				continue
			}
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if on[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		at := slices.Index(stack, v)
		group := slices.Clone(stack[at:])
		for _, w := range group {
			on[w] = false
		}
		stack = stack[:at]
		if len(group) > 1 {
			slices.Sort(group)
			out = append(out, group)
		}
	}
	for _, v := range sorted(r.nodes) {
		if index[v] == 0 {
			visit(v)
		}
	}
	slices.SortFunc(out, func(a, b []string) int { return slices.Compare(a, b) })
	return out
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
