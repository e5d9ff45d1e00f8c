package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"evolve/bench/grade"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports/number"
)

// GraderTrial is the result of trying a grader program on one answer.
type GraderTrial struct {
	// Task is the id of a search task; it is empty if the program grades no search task.
	Task string
	// Own reports whether the answer was the task's own rather than one that doctor made
	// up.
	Own   bool
	Score float64
	// Ungraded is the reason why the program gave no score; it is empty if there is no such
	// reason.
	Ungraded string
	// Unstartable and Late report why the program gave no score. Unstartable means that
	// the program cannot be started, and Late means that the time limit of a trial ended
	// it.
	Unstartable, Late bool
}

// checkGraders checks each program that grades tasks of a suite in use, and the providers
// of judges. Graders that use neither a program nor a provider were checked when the suite
// was read.
func checkGraders(ctx context.Context, p Probes, w *workspace.Workspace, before []Check) []Check {
	var checks []Check
	for _, name := range workspace.SortedNames(w.Suites) {
		if !slices.ContainsFunc(w.Agents, func(a workspace.Agent) bool { return slices.Contains(a.Suites, name) }) {
			continue
		}
		for _, g := range workspace.GraderPrograms(w.Suites[name]) {
			checks = append(checks, p.checkGrader(ctx, "grader "+name, g))
		}
		checks = append(checks, p.checkJudgeRoutes(w, name, before)...)
	}
	return checks
}

// checkGrader checks a program without starting it, and then tries it on one answer.
func (p Probes) checkGrader(ctx context.Context, line string, g workspace.GraderProgram) Check {
	what := fmt.Sprintf("%q, which grades %s", strings.Join(g.Argv, " "), g.Graded())
	if problem := g.Problem(p.LookPath); problem != "" {
		return fail(line, g.Hint(), "%s: %s", what, problem)
	}
	if p.Grade == nil {
		return ok(line, "%s: exists", what)
	}
	t, err := p.Grade(ctx, g)
	answer := "the expected answer"
	if !t.Own {
		answer = "an invented answer"
	}
	const remedy = "correct the grader: until then its tasks have no scores"
	switch {
	case err != nil:
		return fail(line, "", "%s: it cannot be tried: %s", what, p.brief(err.Error()))
	case t.Task == "":
		return ok(line, "%s: it exists but was not tried, because a trial needs a search task that is not a scripted conversation", what)
	case t.Late:
		return warn(line, "use --trial to give the grader more time, or --trial 0 to skip the trial", "%s: it gave no grade for task %s within the time allowed for a trial", what, t.Task)
	case t.Ungraded != "" && (t.Own || t.Unstartable):
		return fail(line, remedy, "%s: it could not grade %s to task %s: %s", what, answer, t.Task, p.brief(t.Ungraded))
	case t.Ungraded != "":
		return warn(line, "evolve agent run --task "+t.Task+" grades the agent's own answer", "%s: it could not grade %s to task %s: %s", what, answer, t.Task, p.brief(t.Ungraded))
	}
	return ok(line, "%s: score %s for %s to task %s", what, number.Score(t.Score), answer, t.Task)
}

// checkJudgeRoutes reports the judges of a suite whose provider does not answer or has no
// API key.
func (p Probes) checkJudgeRoutes(w *workspace.Workspace, suite string, before []Check) []Check {
	failed := failures(before)
	first := map[string]string{} // the first task for each route
	for i := range w.Suites[suite].Tasks {
		t := &w.Suites[suite].Tasks[i]
		for _, step := range t.Steps() {
			for _, spec := range step.Graders {
				if hint, is := grade.JudgeRoute(spec); is {
					name, _ := w.JudgeRoute(hint)
					if first[name] == "" {
						first[name] = t.ID
					}
				}
			}
		}
	}
	var checks []Check
	for _, name := range workspace.SortedNames(first) {
		r, there := w.Settings.Routes[name]
		provider := w.Settings.Providers[r.Provider]
		line, what := "grader "+suite, fmt.Sprintf("the judge on the route %s, which grades task %q", name, first[name])
		switch {
		case !there:
			checks = append(checks, fail(line, "declare it under routes: in evolve.yaml", "%s: this route does not exist", what))
		case failed["provider "+r.Provider]:
			checks = append(checks, fail(line, "see the line about the provider", "%s: its provider %s does not answer", what, r.Provider))
		case provider.KeyEnv != "" && !p.set(provider.KeyEnv):
			checks = append(checks, warn(line, "export "+provider.KeyEnv+"=…; set it for cron as well", "%s: %s is not set in the environment", what, provider.KeyEnv))
		}
	}
	return checks
}
