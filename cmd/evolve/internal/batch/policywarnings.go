package batch

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night/limits"
	"evolve/reports/number"
	"evolve/runtime/policy"
)

// longNight is the longest planned duration without a warning, for a run that has no time
// limit and is slowed by a rate limit in the policies.
const longNight = 24 * time.Hour

// policyWarnings returns warnings about policies that allow fewer evaluations of an agent
// than planned, or that make the evaluations take too long, and by how much; it returns nil
// if there are none. seconds is the time that the run has for the agent; 0 means no limit.
// Every evaluation makes at least one call: a call to the agent itself if it is an
// operator's own program or service, otherwise a call to its only provider.
func policyWarnings(w *workspace.Workspace, a *workspace.Agent, planned int, usd, seconds float64) []string {
	call := policy.Call{Kind: policy.Agent, Name: a.ID, Agent: a.ID}
	noun, whose := "task", " of agent "+a.ID
	if a.Adapter.Kind == workspace.KindBuiltin {
		if a.Adapter.Model == workspace.ModelHeuristic || len(w.Settings.Providers) != 1 {
			return nil
		}
		for name := range w.Settings.Providers {
			call.Kind, call.Name, noun, whose = policy.Provider, name, "call", " of provider "+name
		}
	} else if _, ok := w.Settings.Policies.Roles[a.ID]; !ok {
		return nil
	}
	engine, err := policy.New(policy.Options{Book: w.Settings.Policies})
	if err != nil {
		return nil // the check of the workspace reports the error
	}
	s, _ := engine.Resolve(call)
	plan := fmt.Sprintf("the %s planned", number.Plural(planned, "evaluation"))
	if planned <= 0 {
		planned = limits.Probe
		plan = fmt.Sprintf("the minimum of %d evaluations for a night", planned)
	}
	calls := func(n int64) string { return number.Plural(int(n), noun) + whose }
	var out []string
	allows := func(key string, n float64) {
		if n < float64(planned) {
			out = append(out, fmt.Sprintf("%s under policies allows only %s of %s: raise the limit, or plan fewer evaluations with --budget-evals", key, humanize.Comma(int64(n)), plan))
		}
	}
	if s.RateCalls > 0 && s.RatePer > 0 {
		rate := fmt.Sprintf("the rate limit of %s per %s", calls(int64(s.RateCalls)), span(s.RatePer.Seconds()))
		each := s.RatePer.Seconds() / float64(s.RateCalls)
		switch takes := each * float64(planned); {
		case seconds > 0:
			if seconds < takes {
				allows(rate+", in "+span(seconds)+",", max(1, seconds/each))
			}
		case takes > longNight.Seconds():
			out = append(out, fmt.Sprintf("%s under policies makes %s take at least %s: raise the limit, or plan fewer evaluations with --budget-evals", rate, plan, days(takes)))
		}
	}
	for _, b := range []struct {
		key string
		policy.Budget
	}{{"the budget of a run", s.PerRun}, {"the budget of an agent", s.PerAgent}, {"the daily budget", s.PerDay}} {
		if b.Calls > 0 {
			allows(fmt.Sprintf("%s, %s,", b.key, calls(b.Calls)), float64(b.Calls))
		}
		if b.USD > 0 && usd > 0 {
			allows(fmt.Sprintf("%s, %s at %s an evaluation,", b.key, number.Dollars(b.USD), number.Dollars(usd)), b.USD/usd)
		}
	}
	return out
}

// days formats a duration given in seconds. From two days on, it counts whole days.
func days(seconds float64) string {
	if d := seconds / (24 * 3600); d >= 2 {
		return humanize.Comma(int64(d)) + " days"
	}
	return span(seconds)
}
