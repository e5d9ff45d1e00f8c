package tool

import (
	"context"
	"path"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/source"
)

// DependencyMap is the result of dependency_map. Go packages are named by their folders,
// where "." is the root; Python, JavaScript and TypeScript modules are named by their
// files. Tests are left out.
type DependencyMap struct {
	Module   string     `json:"module,omitempty"`
	Packages []Imports  `json:"packages"`
	Cycles   [][]string `json:"cycles"`
	// Orphans lists the packages that no other package imports and that are not programs.
	Orphans []string `json:"orphans"`
	// Core lists the packages that two or more others import.
	Core []string `json:"core"`
	// Withheld lists files that seem to contain a credential; their contents are left out.
	Withheld []string `json:"withheld,omitempty"`
	// Truncated reports whether source text was not read or packages were left out.
	Truncated bool `json:"truncated,omitempty"`
}

// Imports holds the packages within the repository that one package imports and those that
// import it.
type Imports struct {
	Package    string   `json:"package"`
	Imports    []string `json:"imports"`
	ImportedBy []string `json:"imported_by"`
	// Language is omitted for Go.
	Language string `json:"language,omitempty"`
}

type dependencyMapArgs struct {
	Package string `json:"package"`
}

func dependencyMap() Tool {
	return define("dependency_map",
		"Which packages or modules of the repository import which, as JSON: imports, imported-by, cycles, orphans, core packages; of one package or all. Knows Go, Python, JavaScript and TypeScript.",
		`{"type":"object","additionalProperties":false,"properties":{"package":{"type":"string","maxLength":300}}}`,
		Available, []string{"engineering"},
		func(ctx context.Context, env *Env, a dependencyMapArgs) Result {
			repo, err := env.repository(ctx)
			if err != nil {
				return failed(err)
			}
			m := DependencyMap{
				Module: repo.module, Cycles: [][]string{}, Orphans: []string{}, Core: []string{},
				Withheld: repo.withheld, Truncated: repo.truncated,
			}
			only := ""
			if a.Package != "" {
				n, ok := repo.find(a.Package)
				if !ok {
					return Failed(agent.Execution, "there is no such package")
				}
				only = n.name
			}
			all := []Imports{}
			for _, name := range sorted(repo.nodes) {
				n := repo.nodes[name]
				if n.testOnly { // tests are not orphans
					continue
				}
				if only == "" || only == name {
					entry := Imports{Package: name, Imports: list(n.imports), ImportedBy: list(n.importers)}
					if n.language != source.Go {
						entry.Language = string(n.language)
					}
					all = append(all, entry)
				}
				if len(n.importers) == 0 && !n.entry && !n.passive() {
					m.Orphans = append(m.Orphans, name)
				}
				if len(n.importers) >= 2 {
					m.Core = append(m.Core, name)
				}
			}
			groups := 0
			for _, c := range repo.cycles() {
				if groups += len(strings.Join(c, "    ")); groups > maxListed {
					m.Truncated = true
					break
				}
				m.Cycles = append(m.Cycles, c)
			}
			for _, l := range []*[]string{&m.Orphans, &m.Core, &m.Withheld} {
				kept, whole := some(*l)
				*l, m.Truncated = kept, m.Truncated || !whole
			}
			return fitting(len(all), func(n int) any {
				m.Packages, m.Truncated = all[:n], m.Truncated || n < len(all)
				return m
			})
		})
}

// passive reports whether a file is used without being imported.
func (n *node) passive() bool {
	base := path.Base(n.name)
	return base == "__init__.py" || base == "setup.py" || base == "conftest.py" ||
		strings.HasSuffix(base, ".d.ts") || strings.Contains(base, ".config.")
}

// list never returns nil, so that an empty list is encoded as [] rather than null.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
