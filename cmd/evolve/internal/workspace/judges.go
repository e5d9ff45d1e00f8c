package workspace

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"evolve/bench"
	"evolve/bench/grade"
)

// JudgeRoute returns the name of the route that a judge with the given hint uses, and the
// route itself.
func (w *Workspace) JudgeRoute(hint string) (string, Route) {
	name := cmp.Or(hint, DefaultRoute)
	return name, w.Settings.Routes[name]
}

// Judged reports whether a suite of the agent has graders of type judge or simulated users.
func (w *Workspace) Judged(a *Agent) bool {
	return slices.ContainsFunc(a.Suites, func(name string) bool { return w.Suites[name].Judges != "" })
}

// SuiteRules returns the rules for suites in the workspace at root, which include the check
// that the routes of judges and simulated users exist. If evolve.yaml has problems, routes
// are not checked.
func SuiteRules(root string, builtins Builtins) bench.GraderRules {
	l := &loader{root: root, builtins: builtins}
	l.settings()
	return l.graderRules()
}

// graderRules returns the rules for graders, including the check that a judge's route
// exists.
func (l *loader) graderRules() bench.GraderRules {
	rules := l.builtins.Graders
	check := rules.Check
	if check == nil || l.errs.failed(SettingsFile) {
		return rules
	}
	rules.CheckUser = func(u *bench.SimulatedUser) string {
		name := cmp.Or(u.Route, DefaultRoute)
		if _, ok := l.set.Routes[name]; !ok {
			return fmt.Sprintf("the simulated user needs a model, but %s has no route %q", SettingsFile, name)
		}
		return ""
	}
	rules.Check = func(t *bench.Task, spec bench.GraderSpec) []bench.GraderProblem {
		problems := check(t, spec)
		hint, is := grade.JudgeRoute(spec)
		name := cmp.Or(hint, DefaultRoute)
		if _, ok := l.set.Routes[name]; is && !ok {
			problems = append(problems, bench.GraderProblem{Text: fmt.Sprintf("asks a judge model, but %s has no route %q", SettingsFile, name)})
		}
		return problems
	}
	return rules
}

// bindJudges makes the models of a suite's judges part of the suite's identity, so that
// results graded by other models are not evidence for the suite.
func (l *loader) bindJudges(s *bench.Suite) {
	type identity struct {
		Route    Route
		Provider providerIdentity
	}
	w := &Workspace{Root: l.root, Settings: l.set.Settings}
	found := map[string]identity{}
	for i := range s.Tasks {
		if u := s.Tasks[i].User; u != nil {
			name, r := w.JudgeRoute(u.Route)
			p := w.Settings.Providers[r.Provider]
			found["user "+bench.UserPrompt()+" "+name] = identity{r, providerIdentity{p.Kind, p.BaseURL, p.OfKind, w.fileHash(p.Recording)}}
		}
		for _, step := range s.Tasks[i].Steps() {
			for _, spec := range step.Graders {
				hint, is := grade.JudgeRoute(spec)
				if !is {
					continue
				}
				name, r := w.JudgeRoute(hint)
				p := w.Settings.Providers[r.Provider]
				found[name] = identity{r, providerIdentity{p.Kind, p.BaseURL, p.OfKind, w.fileHash(p.Recording)}}
			}
		}
	}
	if len(found) == 0 {
		return
	}
	raw, err := json.Marshal(found)
	if err != nil { // its parts can always be encoded
		panic(err)
	}
	s.BindJudges(string(raw))
	s.JudgeTerms = w.judgeTerms(s)
}

// judgeTerms returns a description of the settings of a suite's judges.
func (w *Workspace) judgeTerms(s *bench.Suite) bench.JudgeTerms {
	terms := bench.JudgeTerms{}
	samples, scales, rubrics := map[string][]string{}, map[string][]string{}, map[string][]string{}
	for i := range s.Tasks {
		for _, j := range grade.Judges(&s.Tasks[i]) {
			if j == nil {
				continue
			}
			name, r := w.JudgeRoute(j.Route)
			if terms[name] == nil {
				p := w.Settings.Providers[r.Provider]
				terms[name] = map[string]string{
					"model": r.Model, "provider": r.Provider, "kind": p.Kind, "base_url": p.BaseURL, "of": p.OfKind,
					"recording": tag(w.fileHash(p.Recording)), "max_tokens": given(r.MaxTokens), "context": given(r.Context),
				}
				if r.Temperature != nil {
					terms[name]["temperature"] = strconv.FormatFloat(*r.Temperature, 'g', -1, 64)
				}
			}
			samples[name] = append(samples[name], strconv.Itoa(j.Samples))
			if scale := j.Scale(); scale != "" {
				scales[name] = append(scales[name], scale)
			}
			rubrics[name] = append(rubrics[name], j.Rubric())
		}
	}
	for name, t := range terms {
		t["samples"], t["scale"] = strings.Join(distinct(samples[name]), ", "), strings.Join(distinct(scales[name]), ", ")
		sum := sha256.Sum256([]byte(strings.Join(distinct(rubrics[name]), "\x00")))
		t[bench.RubricsTerm] = tag(hex.EncodeToString(sum[:]))
		maps.DeleteFunc(t, func(_, v string) bool { return v == "" })
	}
	return terms
}

// tag returns the first characters of a hash: enough of them to distinguish two hashes.
func tag(hash string) string { return hash[:min(len(hash), 12)] }

// given returns a number as text. It returns "" for 0, which means that the setting was
// omitted.
func given(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// distinct returns the texts sorted and without duplicates.
func distinct(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }
