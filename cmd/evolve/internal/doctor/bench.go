package doctor

import (
	"fmt"
	"math"
	"slices"
	"strings"

	rtext "evolve/runtime/text"

	"evolve/bench"
	"evolve/bench/confirm"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/workspace"
)

func checkSuites(w *workspace.Workspace) []Check {
	var checks []Check
	for _, name := range workspace.SortedNames(w.Suites) {
		s := w.Suites[name]
		search, holdout := s.Side(bench.Search), s.Side(bench.Holdout)
		domains := map[string]bool{}
		for i := range s.Tasks {
			domains[s.Tasks[i].Domain] = true
		}
		all := append(slices.Clone(search), holdout...)
		clusters := map[string]bool{}
		for _, t := range all {
			clusters[t.Unit()] = true
		}
		text := fmt.Sprintf("%s (%d search, %d holdout), %s, %s", rtext.Count(len(s.Tasks), "task"), len(search), len(holdout),
			rtext.Count(len(domains), "domain"), rtext.Count(len(clusters), "cluster"))
		if !slices.ContainsFunc(w.Agents, func(a workspace.Agent) bool { return slices.Contains(a.Suites, name) }) {
			text += "; no agent uses it"
		}
		label := "suite " + name
		least := stats.LeastTasks(w.Settings.Confirm.Control().Alpha())
		switch n := confirm.Units(holdout); {
		case len(search) == 0:
			checks = append(checks, warn(label, "assign some tasks to the search split", "%s: there are no search tasks", text))
		case n == 0:
			checks = append(checks, warn(label, "assign some tasks to the holdout split", "%s: without holdout tasks the verdict is always undecided", text))
		case n < least:
			checks = append(checks, warn(label, fmt.Sprintf("add tasks: at least %d holdout clusters of about equal weight are needed", least),
				"%s: %s, too few for a claim about new tasks", text, stats.Design{Units: n, Clusters: confirm.Clusters(holdout)}.UnitWords()))
		default:
			checks = append(checks, ok(label, "%s", text))
		}
		checks = append(checks, checkLikeness("likeness "+name, s.Likeness())...)
		for _, r := range bench.FindLeaks(s.Tasks) {
			checks = append(checks, warn("answers "+name, "agents see this field: take it out of the suite, or rename it", "%s", r))
		}
	}
	for i := range w.Agents {
		a := &w.Agents[i]
		if a.Alike.Groups > 0 {
			checks = append(checks, checkLikeness("likeness "+a.ID+", over its suites", a.Alike)...)
		}
		if !slices.ContainsFunc(a.Suites, func(name string) bool { return len(w.Suites[name].Side(bench.Search)) > 0 }) {
			checks = append(checks, fail("tasks "+a.ID, "assign some tasks in its suites to the search split", "its suites have no search tasks, so `evolve run` refuses to run the agent"))
		}
	}
	return checks
}

// checkLikeness reports near-duplicate tasks, and warns if the author's splits separate
// them.
func checkLikeness(label string, l bench.Likeness) []Check {
	text := strings.Join(append([]string{l.String()}, l.Named...), "; ")
	switch {
	case l.Groups+l.Aside == 0:
		return nil
	case l.Aside+l.Across > 0:
		return []Check{warn(label, `put them in one split, or give each its own "cluster" to declare that they are not variations of one another`, "%s", text)}
	}
	return []Check{ok(label, "%s", text)}
}

// checkJudges reports the judges of each agent's suites. It warns about judges without a
// calibration, judges that agree too little with people, and judges whose replies are cut
// off.
func checkJudges(w *workspace.Workspace, forecasts map[string]batch.Expectation) []Check {
	var checks []Check
	for i := range w.Agents {
		a := &w.Agents[i]
		for _, text := range batch.ShortJudges(w, a) {
			checks = append(checks, warn("judges "+a.ID, raiseBound, "%s", text))
		}
		for _, text := range forecasts[a.ID].Judges {
			switch {
			case strings.HasSuffix(text, batch.Uncalibrated), strings.HasSuffix(text, batch.Unfit):
				checks = append(checks, warn("judges "+a.ID, "evolve bench calibrate --labels FILE", "%s", text))
			default:
				checks = append(checks, ok("judges "+a.ID, "%s", text))
			}
		}
	}
	return checks
}

// checkSearched warns about holdout tasks that an earlier night's search used.
func checkSearched(w *workspace.Workspace, forecasts map[string]batch.Expectation) []Check {
	var checks []Check
	for i := range w.Agents {
		a := &w.Agents[i]
		if n := forecasts[a.ID].Searched; n > 0 {
			checks = append(checks, warn("holdout "+a.ID, batch.SearchedHint, "%s", batch.SearchedWords(n)))
		}
	}
	return checks
}

// hopeless is the limit for the difference that a benchmark can detect: a benchmark that
// can detect only greater differences answers no useful question.
const hopeless = .3

// checkPower reports the effects that each agent's benchmark can detect with the
// evaluations that the limits in the settings allow, or with the default number of
// evaluations if the limits do not determine the number.
func checkPower(w *workspace.Workspace, forecasts map[string]batch.Expectation) []Check {
	var checks []Check
	for i := range w.Agents {
		a := &w.Agents[i]
		label := "power " + a.ID
		var holdout []*bench.Task
		for _, name := range a.Suites {
			holdout = append(holdout, w.Suites[name].Side(bench.Holdout)...)
		}
		fixed := a.Deterministic && !a.UsesSeed
		budget, assumed := forecasts[a.ID].Evaluations, ""
		if f := forecasts[a.ID]; !f.Known() && budget == 0 {
			budget = workspace.DefaultEvaluations / len(w.Agents)
			assumed = " if the limits allow " + rtext.Count(budget, "evaluation")
		}
		c := w.Settings.Confirm
		design := c.Design(c.Blocks(budget, len(holdout), fixed), holdout, fixed).With(forecasts[a.ID].Variances)
		design.Graded = confirm.Graded(holdout)
		if lacks := design.Shortage(true); lacks != "" && a.Adapter.Kind == workspace.KindCode {
			checks = append(checks, warn(label, "make its scoring command print more cases", "%s", lacks))
			continue
		}
		words := func(sentence string) string { return sentence }
		if a.Adapter.Kind == workspace.KindCode && slices.Equal(a.Suites, []string{a.ID}) { // a command scores it
			words = stats.OfCases
		}
		with := words(fmt.Sprintf("%s, %s a night", design.UnitWords(), rtext.Count(int(design.Tonight), "pair"))) + assumed
		night, month := design.Detectable(design.Tonight), design.Detectable(design.Month)
		hint := ""
		if n := design.Needed(.1); n > 0 {
			hint = words("an improvement of 10 points needs about " + rtext.Count(n, "independent holdout task"))
		}
		if math.IsInf(month, 1) {
			checks = append(checks, warn(label, hint, "%s (%s)", words("no improvement on new tasks can be shown"), with))
			continue
		}
		text := words(fmt.Sprintf("can show an improvement of %.0f points or more on new tasks", math.Ceil(100*month)))
		switch {
		case math.IsInf(night, 1):
			text += ", within a month"
		case !fixed:
			text += fmt.Sprintf(" within a month, or of %.0f points or more in one night", math.Ceil(100*night))
		}
		text += " (80 % power, " + with + ")"
		if assumption := design.Assumption(); assumption != "" {
			text += "; " + assumption
		}
		if noise := forecasts[a.ID].JudgeNoise; noise != "" {
			text += "; " + noise
		}
		if month > hopeless {
			checks = append(checks, warn(label, hint, "%s", text))
		} else {
			checks = append(checks, ok(label, "%s", text))
		}
	}
	return checks
}
