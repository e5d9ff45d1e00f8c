package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
)

// Given are the options of a run that a person typed, as opposed to those from the
// settings. A zero field was not typed. A resumed run keeps its own options, so typed
// options must match them.
type Given struct {
	Agents      []string
	Stages      []string
	Budget      workspace.Budget
	Seed        *int64
	Selection   string
	Lookahead   int
	Concurrency int
	Until       time.Time
}

// ResumeError reports why there is no run to resume.
type ResumeError struct{ Text, Hint string }

func (e *ResumeError) Error() string { return e.Text }

// resume resumes the latest run with its own options, or returns the reason why it cannot
// be resumed.
func (r *runner) resume(ctx context.Context, latest archive.Run) error {
	switch {
	case latest.ID == "":
		return &ResumeError{"there is no run to resume", "`evolve run` begins one"}
	case latest.State == archive.RunDone:
		return &ResumeError{
			fmt.Sprintf("there is no run to resume: the latest, %s, has ended", latest.ID),
			"`evolve report` shows it; `evolve run` begins another",
		}
	}
	if flag := r.o.Given.against(latest); flag != "" {
		return &ResumeError{
			fmt.Sprintf("the interrupted run %s has a different %s: a resumed run keeps its own options", latest.ID, flag),
			"`evolve run --resume` without other options continues the interrupted run; --resume=false begins another run and keeps what was recorded",
		}
	}
	r.o = r.o.as(latest)
	agents, err := Choose(r.o.Workspace, r.o.Agents)
	var unknown *UnknownAgentError
	if errors.As(err, &unknown) {
		return &ResumeError{fmt.Sprintf("run %s cannot continue: its agent %s no longer exists", latest.ID, unknown.Name), afresh}
	}
	if err != nil {
		return err
	}
	r.agents = agents
	r.findTunings()
	if err := r.plan(ctx, latest.Number, latest.ID); err != nil {
		return err
	}
	if r.run.ID != latest.ID {
		changed, err := r.changed(ctx, latest)
		if err != nil {
			return err
		}
		return &ResumeError{fmt.Sprintf("run %s cannot continue: %s after the run was interrupted", latest.ID, changed), afresh}
	}
	r.continueRun(latest)
	return nil
}

const afresh = "--resume=false begins another run; recorded evaluations are kept, and reused if they are still valid"

// continueRun continues the latest run, which has the same plan.
func (r *runner) continueRun(latest archive.Run) {
	resumed := latest
	resumed.State, resumed.Resumed, resumed.Concurrency = archive.RunRunning, latest.Resumed+1, r.run.Concurrency
	resumed.Exit, resumed.Reason, resumed.Spent, resumed.Try, resumed.Ended = 0, "", "", "", time.Time{}
	resumed.Limits = slices.Clone(latest.Limits)
	for i, l := range resumed.Limits { // the measured time and cost still hold
		if l.End == archive.LimitInterrupted || l.End == archive.LimitFailed {
			resumed.Limits[i].End = ""
		}
	}
	resumed.Worked += r.o.Looked
	resumed.Until, resumed.Host, resumed.Binary = r.run.Until, r.run.Host, r.run.Binary
	r.run = resumed
}

// against returns the name of the first typed option whose value differs from the run's;
// it returns "" if there is none.
func (g Given) against(run archive.Run) string {
	for _, c := range []struct {
		flag  string
		other bool
	}{
		{"--agent", len(g.Agents) > 0 && !slices.Equal(distinct(g.Agents), run.Agents)},
		{"--stages", len(g.Stages) > 0 && !slices.Equal(g.Stages, run.Stages)},
		{"--budget-evals", g.Budget.Evaluations > 0 && g.Budget.Evaluations != run.BudgetEval},
		{"--budget-usd", g.Budget.USD > 0 && g.Budget.USD != run.BudgetUSD},
		{"--budget-time", g.Budget.Time > 0 && g.Budget.Time != run.BudgetTime},
		{"--seed", g.Seed != nil && *g.Seed != run.Seed},
		{"--selection", g.Selection != "" && g.Selection != run.Selection},
		{"--lookahead", g.Lookahead > 0 && g.Lookahead != run.Lookahead},
	} {
		if c.other {
			return c.flag
		}
	}
	return ""
}

// distinct returns the names without repetitions, in order of first occurrence.
func distinct(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// as returns o with the run's options in place of the options from the settings. A
// deadline that has passed is replaced with the next one at the same time of day.
func (o Options) as(run archive.Run) Options {
	seed := run.Seed
	o.Agents, o.Stages, o.Seed, o.Selection, o.Lookahead = run.Agents, run.Stages, &seed, run.Selection, run.Lookahead
	o.Budget = workspace.Budget{Evaluations: run.BudgetEval, USD: run.BudgetUSD, Time: run.BudgetTime}
	if o.Given.Concurrency == 0 && run.Concurrency > 0 {
		o.Concurrency = run.Concurrency
	}
	if o.Given.Until.IsZero() && !run.Until.IsZero() {
		now := o.Now()
		o.Until = run.Until.In(now.Location())
		for !o.Until.After(now) {
			o.Until = o.Until.AddDate(0, 0, 1)
		}
	}
	return o
}

// changed describes what now differs from the plans of an interrupted run.
func (r *runner) changed(ctx context.Context, run archive.Run) (string, error) {
	for _, now := range r.plans {
		was, err := r.o.Archive.Plan(ctx, run.ID, now.Agent)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("reading the plan of run %s: %w", run.ID, err)
		}
		var what []string
		for _, c := range []struct {
			name  string
			other bool
		}{
			{"its champion", was.Champion != now.Champion},
			{"its space", was.SpaceHash != now.SpaceHash},
			{"its suites", was.SuiteHash != now.SuiteHash || was.SplitHash != now.SplitHash},
			{"the prices", was.PricesHash != now.PricesHash},
			{"its folder", was.AgentHash != now.AgentHash},
			{"the experience from its live turns", was.Experience != now.Experience},
			{"the waiting proposal", was.Against != now.Against},
		} {
			if c.other {
				what = append(what, c.name)
			}
		}
		if len(what) > 0 {
			return fmt.Sprintf("for agent %s, %s changed", now.Agent, strings.Join(what, " and ")), nil
		}
	}
	return "the settings in evolve.yaml, or evolve itself, changed", nil
}
