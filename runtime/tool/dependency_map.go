package tool

import (
	"context"

	"evolve/runtime/agent"
)

// DependencyMap is what dependency_map returns. Packages are named by their
// folders; "." is the root.
type DependencyMap struct {
	Module   string     `json:"module,omitempty"`
	Packages []Imports  `json:"packages"`
	Cycles   [][]string `json:"cycles"`
	// Orphans are imported by nobody and are no programs.
	Orphans []string `json:"orphans"`
	// Core are imported by two or more.
	Core []string `json:"core"`
}

// Imports is one package's edges within the repository.
type Imports struct {
	Package    string   `json:"package"`
	Imports    []string `json:"imports"`
	ImportedBy []string `json:"imported_by"`
}

type dependencyMapArgs struct {
	Package string `json:"package"`
}

func dependencyMap() Tool {
	return define("dependency_map",
		"Which packages of the Go repository import which, as JSON: imports, imported-by, cycles, orphans, core packages; of one package or all.",
		`{"type":"object","additionalProperties":false,"properties":{"package":{"type":"string","maxLength":300}}}`,
		Available, []string{"engineering"},
		func(_ context.Context, env *Env, a dependencyMapArgs) Result {
			repo, err := env.repository()
			if err != nil {
				return failed(err)
			}
			m := DependencyMap{
				Module: repo.module, Packages: []Imports{}, Cycles: [][]string{}, Orphans: []string{}, Core: []string{},
			}
			only := ""
			if a.Package != "" {
				p, ok := repo.find(a.Package)
				if !ok {
					return Failed(agent.Execution, "there is no such package")
				}
				only = p.folder
			}
			for _, folder := range sorted(repo.packages) {
				p := repo.packages[folder]
				if p.testOnly { // tests are no orphans
					continue
				}
				if only == "" || only == folder {
					m.Packages = append(m.Packages, Imports{folder, list(p.imports), list(p.importers)})
				}
				if len(p.importers) == 0 && p.name != "main" {
					m.Orphans = append(m.Orphans, folder)
				}
				if len(p.importers) >= 2 {
					m.Core = append(m.Core, folder)
				}
			}
			if c := repo.cycles(); c != nil {
				m.Cycles = c
			}
			return asJSON(m)
		})
}

// list is never nil, so that it is written as [].
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
