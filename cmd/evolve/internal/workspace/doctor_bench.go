package workspace

import (
	"fmt"
	"math"
	"slices"

	"evolve/bench"
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

// checkPower says of each agent what its benchmark can show with the budget of the
// settings, or with the usual one where they bound no evaluations.
func checkPower(w *Workspace) []Check {
	var checks []Check
	budget := w.Settings.Budget.Evaluations
	if budget == 0 {
		budget = DefaultEvaluations
	}
	for i := range w.Agents {
		a := &w.Agents[i]
		label := "power " + a.ID
		var holdout []*bench.Task
		for _, name := range a.Suites {
			holdout = append(holdout, w.Suites[name].Side(bench.Holdout)...)
		}
		fixed := a.Deterministic && !a.UsesSeed
		c := w.Settings.Confirm
		design := c.Design(c.Blocks(budget/len(w.Agents), len(holdout), fixed), len(holdout), units(holdout), fixed)
		with := fmt.Sprintf("%s, %s a night", count(design.Units, "independent holdout task"), count(int(design.Tonight), "pair"))
		night, month := design.Detectable(design.Tonight), design.Detectable(design.Month)
		hint := ""
		if n := design.Needed(.1); n > 0 {
			hint = fmt.Sprintf("an improvement of 10 points needs about %d independent holdout tasks", n)
		}
		if math.IsInf(month, 1) {
			checks = append(checks, warn(label, hint, "no improvement on new tasks can be shown (%s)", with))
			continue
		}
		text := fmt.Sprintf("can show an improvement of %.0f points or more on new tasks", math.Ceil(100*month))
		switch {
		case math.IsInf(night, 1):
			text += ", within a month"
		case !fixed:
			text += fmt.Sprintf(" within a month, of %.0f in a night", math.Ceil(100*night))
		}
		text += " (" + with + ")"
		if month > hopeless {
			checks = append(checks, warn(label, hint, "%s", text))
		} else {
			checks = append(checks, ok(label, "%s", text))
		}
	}
	return checks
}
