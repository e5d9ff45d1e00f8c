package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"evolve/bench"
	"evolve/cmd/evolve/internal/wire"
	"evolve/runtime/text"
)

// suiteProblems returns what keeps the workspace at root from being loaded with a suite
// that was just imported, such as a judge whose route is missing from evolve.yaml.
func suiteProblems(root, name string) []string {
	_, issues := bench.LoadSuite(filepath.Join(root, "suites"), name, wire.SuiteRules(root))
	var list []string
	for _, i := range bench.FoldIssues(issues) {
		list = append(list, fmt.Sprintf("%s:%d: %s", i.File, i.Line, i.Text))
	}
	return list
}

// noteProblems prints the problems of an imported suite and what to do about them. The
// suite is written all the same, because a missing route may be added afterwards.
func noteProblems(con *console, problems []string) {
	if len(problems) == 0 {
		return
	}
	advice := "correct the suite, or remove it"
	for _, p := range problems {
		con.eprintf("note: %s\n", text.Visible(p))
		if strings.Contains(p, "has no route") {
			advice = "add the route and its provider under routes and providers in evolve.yaml (`evolve help models`), or remove these tasks"
		}
	}
	con.eprintf("note: until this is fixed, the workspace cannot be loaded, even for agents that do not use this suite: %s\n", con.localHint(advice))
}
