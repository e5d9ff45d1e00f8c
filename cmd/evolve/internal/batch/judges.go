package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	rtext "evolve/runtime/text"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/grade"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports/number"
)

// judgedNights is the number of earlier runs that are searched for a measurement of the
// judges' noise.
const judgedNights = 30

// describeJudges adds to each plan what is known about its judges: their models, their
// calibration, and their noise in the latest run that measured it. These descriptions are
// not part of the identity of a run.
func (r *runner) describeJudges(ctx context.Context) error {
	for i, a := range r.agents {
		if !r.o.Workspace.Judged(a) {
			continue
		}
		p := &r.plans[i]
		for _, name := range a.Suites {
			suite := r.o.Workspace.Suites[name]
			known, err := r.o.Archive.Calibrations(ctx, name)
			if err != nil {
				return fmt.Errorf("reading the calibrations of judges: %w", err)
			}
			p.Judges = append(p.Judges, describeSuite(r.o.Workspace, suite, known)...)
			if suite.JudgeTerms != nil {
				if p.JudgeTerms == nil {
					p.JudgeTerms = map[string]bench.JudgeTerms{}
				}
				p.JudgeTerms[name] = suite.JudgeTerms
			}
		}
		var err error
		if p.JudgeNoise, err = judgeNoise(ctx, r.o.Archive, p); err != nil {
			return err
		}
	}
	return nil
}

// judgeNoise describes the judges' noise, as measured by the latest run that measured it
// on the same suites.
func judgeNoise(ctx context.Context, store *archive.Archive, p *archive.AgentPlan) (string, error) {
	looked := 0
	for run, err := range store.Runs(ctx) {
		if err != nil {
			return "", fmt.Errorf("reading the noise of judges: %w", err)
		}
		if looked++; looked > judgedNights {
			break
		}
		was, err := store.Plan(ctx, run.ID, p.Agent)
		if errors.Is(err, archive.ErrNotFound) || err == nil && was.SuiteHash != p.SuiteHash {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("reading the noise of judges: %w", err)
		}
		result, err := store.Result(ctx, run.ID, p.Agent)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return "", fmt.Errorf("reading the noise of judges: %w", err)
		}
		if result.Judges.Any() {
			return result.Judges.Statement() + " in run " + run.ID, nil
		}
	}
	return "", nil
}

// routeJudges are the judges of a suite that use the same route.
type routeJudges struct {
	route       string
	tasks       int
	calls       int
	definitions []string
}

// judgesByRoute groups the judges of tasks by their route, in order of first use.
func judgesByRoute(w *workspace.Workspace, tasks []*bench.Task) []*routeJudges {
	var list []*routeJudges
	for _, t := range tasks {
		seen := map[*routeJudges]bool{}
		for _, j := range grade.Judges(t) {
			if j == nil {
				continue
			}
			name, _ := w.JudgeRoute(j.Route)
			at := slices.IndexFunc(list, func(r *routeJudges) bool { return r.route == name })
			if at < 0 {
				at, list = len(list), append(list, &routeJudges{route: name})
			}
			r := list[at]
			if r.calls += j.Calls(); !seen[r] {
				seen[r] = true
				r.tasks++
			}
			if d := j.Definition(); !slices.Contains(r.definitions, d) {
				r.definitions = append(r.definitions, d)
			}
		}
	}
	return list
}

// describeSuite describes the judges of a suite, one sentence for each route.
func describeSuite(w *workspace.Workspace, s *bench.Suite, known []archive.Calibration) []string {
	tasks := make([]*bench.Task, len(s.Tasks))
	for i := range s.Tasks {
		tasks[i] = &s.Tasks[i]
	}
	var out []string
	for _, r := range judgesByRoute(w, tasks) {
		_, route := w.JudgeRoute(r.route)
		text := fmt.Sprintf("suite %s: %s on route %s grades %d of %d tasks with %.3g calls per answer (%s); ",
			s.Name, route.Model, r.route, r.tasks, len(tasks), float64(r.calls)/float64(r.tasks), settled(s.JudgeTerms[r.route]))
		out = append(out, text+calibrated(r, s, known))
	}
	return out
}

// settled describes a judge's settings, except its model and its rubrics.
func settled(terms map[string]string) string {
	out := []string{"temperature " + cmp.Or(terms["temperature"], "at its default")}
	for _, name := range []string{"max_tokens", "samples", "scale"} {
		if v := terms[name]; v != "" {
			out = append(out, name+" "+v)
		}
	}
	return strings.Join(out, ", ")
}

// calibrated describes the latest calibration that applies to the judges.
func calibrated(r *routeJudges, s *bench.Suite, known []archive.Calibration) string {
	for _, c := range slices.Backward(known) {
		covered := 0
		for _, d := range r.definitions {
			if slices.Contains(c.Judges, d) {
				covered++
			}
		}
		if c.Models != s.Judges || covered == 0 {
			continue
		}
		a := c.Agreement
		text := fmt.Sprintf("calibrated on %s against %s: agreement %s", c.Time.UTC().Format(time.DateOnly), rtext.Count(a.Labels, "label"), number.Score(a.Same.Value))
		if a.Kappa != nil {
			text += fmt.Sprintf(", kappa %s [%s, %s]", number.Score(a.Kappa.Value), number.Score(a.Kappa.Lo), number.Score(a.Kappa.Hi))
		}
		if a.Length != nil && (a.Length.Lo > 0 || a.Length.Hi < 0) {
			text += fmt.Sprintf("; the judge favours %s answers (correlation %s)", longOrShort(a.Length.Value), number.Score(a.Length.Value))
		}
		if a.First != nil && (a.First.Lo > .5 || a.First.Hi < .5) {
			text += fmt.Sprintf("; the judge prefers the first position in %.0f %% of calls", 100*a.First.Value)
		}
		if covered < len(r.definitions) {
			text += fmt.Sprintf("; the calibration covers %d of the judge's %d rubrics", covered, len(r.definitions))
		}
		if a.Kappa == nil || a.Kappa.Value < leastKappa {
			text += Unfit
		}
		return text
	}
	return Uncalibrated
}

func longOrShort(correlation float64) string {
	if correlation > 0 {
		return "long"
	}
	return "short"
}

// leastKappa is the agreement with people below which a judge's grades are of little use:
// "moderate" agreement begins there (Landis and Koch, 1977).
const leastKappa = .41

// Unfit ends the description of a judge that agrees too little with people.
const Unfit = "; the judge agrees with people too rarely to be used for grading: change the model or the rubric until kappa is 0.41 or more"

// Uncalibrated is the end of the description of a judge that has no calibration.
const Uncalibrated = "not calibrated: evolve bench calibrate compares it with people's labels"

// The sizes assumed in estimating the judges' cost.
const (
	assumedAnswer  = 400 // bytes of an answer
	assumedVerdict = 80  // tokens
)

// JudgeCost estimates the maximum number of judge calls that a plan takes, assuming that no
// answer occurs twice, and their cost; it returns "" if there are no judges.
func JudgeCost(w *workspace.Workspace, a *workspace.Agent, p *archive.AgentPlan) string {
	c := plannedCalls{w: w}
	eachPlanned(w, a, p, func(t *bench.Task, times float64) {
		for _, j := range grade.Judges(t) {
			if j != nil {
				c.add(j.Route, times*float64(j.Calls()), float64(j.InputTokens(assumedAnswer)), assumedVerdict)
			}
		}
	})
	if c.calls == 0 {
		return ""
	}
	return fmt.Sprintf("at most about %.0f calls to judges with %.0f tokens each, about %s", c.calls, c.tokens/c.calls, number.Dollars(c.usd)) +
		c.withoutPrice() + "; identical answers are graded once"
}
