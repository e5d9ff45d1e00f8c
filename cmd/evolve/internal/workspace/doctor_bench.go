package workspace

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/bench/stats"
)

// fewUnits is the number of independent holdout tasks below which a claim about
// new tasks has no ground (spec 9.2).
const fewUnits = 10

// units counts the independent tasks: clusters are one each.
func units(tasks []*bench.Task) int {
	seen := map[string]bool{}
	for _, t := range tasks {
		seen[t.Unit()] = true
	}
	return len(seen)
}

func checkSuites(w *Workspace) []Check {
	var checks []Check
	for _, name := range sortedNames(w.Suites) {
		s := w.Suites[name]
		search, holdout := s.Side(bench.Search), s.Side(bench.Holdout)
		domains := map[string]bool{}
		for i := range s.Tasks {
			domains[s.Tasks[i].Domain] = true
		}
		all := append(slices.Clone(search), holdout...)
		text := fmt.Sprintf("%s (%d search, %d holdout), %s, %s", count(len(s.Tasks), "task"), len(search), len(holdout),
			count(len(domains), "domain"), count(units(all), "cluster"))
		if !slices.ContainsFunc(w.Agents, func(a Agent) bool { return slices.Contains(a.Suites, name) }) {
			text += "; no agent uses it"
		}
		label := "suite " + name
		switch n := units(holdout); {
		case len(search) == 0:
			checks = append(checks, warn(label, "give some tasks the split search", "%s: nothing to search on", text))
		case n == 0:
			checks = append(checks, warn(label, "give some tasks the split holdout", "%s: without holdout tasks the verdict is always undecided", text))
		case n < fewUnits:
			checks = append(checks, warn(label, fmt.Sprintf("add tasks: at least %d holdout clusters", fewUnits),
				"%s: too few for a claim about new tasks", text))
		default:
			checks = append(checks, ok(label, "%s", text))
		}
	}
	return checks
}

// hopeless is the detectable difference above which a benchmark answers no
// question that anybody has.
const hopeless = .3

// checkPower says of each agent what its benchmark can show when a night uses all
// the repeats it may.
func checkPower(w *Workspace) []Check {
	var checks []Check
	for i := range w.Agents {
		a := &w.Agents[i]
		label := "power " + a.ID
		holdout := 0
		for _, name := range a.Suites {
			holdout += units(w.Suites[name].Side(bench.Holdout))
		}
		c := w.Settings.Confirm
		repeats := c.MaxRepeats
		if a.Deterministic && !a.UsesSeed {
			repeats = 1
		}
		detectable := stats.Planned(holdout, stats.PriorSD, repeats, 1-c.Level, c.Finalists)
		with := fmt.Sprintf("%s, %s each, %s, level %s", count(holdout, "independent holdout task"), count(repeats, "repeat"),
			count(c.Finalists, "finalist"), strings.TrimPrefix(plain(c.Level), "0"))
		if math.IsInf(detectable, 1) {
			checks = append(checks, warn(label, moreTasks(c, repeats), "no improvement can be shown (%s)", with))
			continue
		}
		text := fmt.Sprintf("can detect an improvement of %.0f points or more (%s)", math.Ceil(100*detectable), with)
		if detectable > hopeless {
			checks = append(checks, warn(label, moreTasks(c, repeats), "%s", text))
		} else {
			checks = append(checks, ok(label, "%s", text))
		}
	}
	return checks
}

// moreTasks says how many tasks would show an improvement of ten points.
func moreTasks(c Confirm, repeats int) string {
	n := stats.Needed(.1, stats.PriorSD, repeats, 1-c.Level, c.Finalists)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("an improvement of 10 points needs about %d independent holdout tasks", n)
}
