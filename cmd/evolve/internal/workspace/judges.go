package workspace

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"evolve/bench"
	"evolve/bench/grade"
)

// JudgeRoute returns the name of a judge's route and the route.
func (w *Workspace) JudgeRoute(hint string) (string, Route) {
	name := cmp.Or(hint, DefaultRoute)
	return name, w.Settings.Routes[name]
}

// Judged reports whether a suite of the agent has graders of type judge.
func (w *Workspace) Judged(a *Agent) bool {
	return slices.ContainsFunc(a.Suites, func(name string) bool { return w.Suites[name].Judges != "" })
}

// graderRules returns the rules of graders, with the check that the route of a judge
// exists.
func (l *loader) graderRules() bench.GraderRules {
	rules := l.builtins.Graders
	check := rules.Check
	if check == nil || l.errs.failed(SettingsFile) {
		return rules
	}
	rules.Check = func(t *bench.Task, spec bench.GraderSpec) []bench.GraderProblem {
		problems := check(t, spec)
		hint, is := grade.JudgeRoute(spec)
		name := cmp.Or(hint, DefaultRoute)
		if _, ok := l.set.Routes[name]; is && !ok {
			problems = append(problems, bench.GraderProblem{Text: fmt.Sprintf("asks a judge model, and %s has no route %q", SettingsFile, name)})
		}
		return problems
	}
	return rules
}

// bindJudges makes the models of a suite's judges part of the suite, so that what was
// graded by other models is no evidence for it.
func (l *loader) bindJudges(s *bench.Suite) {
	type identity struct {
		Route    Route
		Provider providerIdentity
	}
	w := &Workspace{Root: l.root, Settings: l.set.Settings}
	found := map[string]identity{}
	for i := range s.Tasks {
		for _, spec := range s.Tasks[i].Graders {
			hint, is := grade.JudgeRoute(spec)
			if !is {
				continue
			}
			name, r := w.JudgeRoute(hint)
			p := w.Settings.Providers[r.Provider]
			found[name] = identity{r, providerIdentity{p.Kind, p.BaseURL, p.OfKind, w.fileHash(p.Recording)}}
		}
	}
	if len(found) == 0 {
		return
	}
	raw, err := json.Marshal(found)
	if err != nil { // its parts always encode
		panic(err)
	}
	s.BindJudges(string(raw))
}
