package batch

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/mutate/night/limits"
	"evolve/reports/model"
	"evolve/runtime/agent"
)

// TestTheEndOfANightIsNamed ends nights with and without each limit. The record and the
// report must name the limit that ran out, or the reason why none did, with the actual
// number of evaluations.
func TestTheEndOfANightIsNamed(t *testing.T) {
	for _, c := range []struct {
		name   string
		night  timed
		exit   int
		bound  limits.Limit
		end    archive.LimitEnd
		says   string // text about the limit, in the report and the status
		reason string // text in the run's Reason or in Incomplete
	}{
		{
			name: "evaluations", night: timed{budget: workspace.Budget{Evaluations: 300}, champion: best(), noisy: true},
			bound: limits.Evaluations, end: archive.LimitLeft, says: "evaluations limited the search, ",
		},
		{
			name: "one evaluation", night: timed{budget: workspace.Budget{Evaluations: 1}},
			bound: limits.Evaluations, end: archive.LimitSpent, says: "evaluations limited the run, 1 of 1 evaluation used",
		},
		{
			name: "money for none", night: timed{cost: .01, budget: workspace.Budget{USD: .001}}, exit: ExitBudget,
			bound: limits.Money, end: archive.LimitSpent, says: "money limited the run, 1 of 1 evaluation used", reason: "the limit on money",
		},
		{
			name: "money", night: timed{cost: .01, budget: workspace.Budget{USD: .5}},
			bound: limits.Money, end: archive.LimitSpent, says: "money limited the run, ",
		},
		{
			name: "time for none", night: timed{each: 200 * time.Millisecond, budget: workspace.Budget{Time: 100 * time.Millisecond}}, exit: ExitBudget,
			bound: limits.Time, end: archive.LimitSpent, says: "time limited the run, 4 of 4 evaluations used", reason: "the limit on time",
		},
		{
			name: "no time at all", night: timed{each: 200 * time.Millisecond, budget: workspace.Budget{Time: 1}}, exit: ExitBudget,
			bound: limits.Time, end: archive.LimitSpent, says: "time limited the run, ", reason: "the limit on time",
		},
		{
			name: "a deadline for none", night: timed{each: 200 * time.Millisecond, until: 150 * time.Millisecond}, exit: ExitBudget,
			bound: limits.Deadline, end: archive.LimitSpent, says: "the deadline limited the run, 4 of 4 evaluations used", reason: "the deadline",
		},
		{
			name: "a deadline", night: timed{each: 200 * time.Millisecond, until: 10 * time.Second},
			bound: limits.Deadline, says: "the deadline limited ",
		},
		{
			name: "enough", night: timed{each: 200 * time.Millisecond, budget: workspace.Budget{Time: time.Hour}, most: 200},
			bound: limits.Enough, says: "none: more evaluations would hardly improve the search",
		},
		{
			name: "every config was tried", night: timed{budget: workspace.Budget{Evaluations: 2000}, trouble: trouble{small: true}},
			bound: limits.Evaluations, end: archive.LimitExhausted, says: "none: after ",
		},
		{
			name: "interrupted", night: timed{budget: workspace.Budget{Evaluations: 300}, trouble: trouble{stopAfter: 40}}, exit: ExitInterrupted,
			bound: limits.Evaluations, end: archive.LimitInterrupted, says: "none: the run was interrupted after 4", reason: "interrupted",
		},
		{
			name: "failed", night: timed{budget: workspace.Budget{Evaluations: 300}, trouble: trouble{failAfter: 40}}, exit: ExitInfrastructure,
			bound: limits.Evaluations, end: archive.LimitFailed, says: "none: the run failed after ",
		},
		{
			name: "a budget of the policies", night: timed{budget: workspace.Budget{Evaluations: 300}, trouble: trouble{spentAfter: 40}}, exit: ExitBudget,
			bound: limits.Evaluations, end: archive.LimitPolicies, says: "a limit under `policies` stopped the search after 4", reason: "calls of this run",
		},
		{
			name: "a rate whose next call lies beyond the time", night: timed{each: 100 * time.Millisecond, budget: workspace.Budget{Time: 25 * time.Second}, trouble: trouble{rateAfter: 8}}, exit: ExitBudget,
			bound: limits.Time, end: archive.LimitPolicies, says: "a limit under `policies` stopped the search after 8 evaluations: one call an hour", reason: "one call an hour",
		},
		{
			name: "a rate whose next call lies beyond the deadline", night: timed{each: 100 * time.Millisecond, until: 25 * time.Second, trouble: trouble{rateAfter: 8}}, exit: ExitBudget,
			bound: limits.Deadline, end: archive.LimitPolicies, says: "a limit under `policies` stopped the search after 8 evaluations: one call an hour", reason: "one call an hour",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := c.night
			n.tasks, n.seed = 20, 5
			n.run(t, func(t *testing.T, s tells) {
				l, r := s.Run.Limits[0], s.Results[0]
				if s.Run.Exit != c.exit || l.Bound != string(c.bound) || c.end != "" && l.End != c.end {
					t.Errorf("exit %d, bound by %q, ended as %q; want %d, %q, %q: %+v", s.Run.Exit, l.Bound, l.End, c.exit, c.bound, c.end, l)
				}
				if made := n.counted(t, s); l.Used < made-timedParallel || l.Used > made || l.Evaluations < l.Used {
					t.Errorf("%d used of %d, and %d are on record", l.Used, l.Evaluations, made)
				}
				if words := model.LimitWords(l); !strings.HasPrefix(words, c.says) || strings.Contains(words, " 1 evaluations") {
					t.Errorf("it says %q, want %q", words, c.says)
				}
				if all := s.Run.Reason + "; " + r.Incomplete; !strings.Contains(all, c.reason) {
					t.Errorf("%q does not say %q", all, c.reason)
				}
			})
		})
	}
}

// TestTheForecastIsInWords checks what a dry run prints for each limit.
func TestTheForecastIsInWords(t *testing.T) {
	for _, c := range []struct {
		budget workspace.Budget
		says   string
	}{
		{workspace.Budget{}, "2,000 evaluations, the default if no limit is given"},
		{workspace.Budget{Evaluations: 1}, "1 evaluation"},
		{workspace.Budget{USD: .001}, "$0.001: the number of evaluations will be known after the first one"},
		{workspace.Budget{USD: 5, Time: 6 * time.Hour, Evaluations: 1}, "$5.00, 6h of time: the number of evaluations will be known after the first one; at most 1 evaluation"},
	} {
		synctest.Test(t, func(t *testing.T) {
			store := archive.OpenMemory()
			list, err := Forecast(t.Context(), Options{Workspace: toyWorkspace(t, 20), Budget: c.budget, Concurrency: 1, Env: night.Env{Archive: store, Now: time.Now}})
			if err = errors.Join(err, store.Close()); err != nil || list[0].Text != c.says {
				t.Errorf("%v: %q, want %q", err, list[0].Text, c.says)
			}
		})
	}
}

// trouble describes what ends a night early, on fake time. The zero value ends nothing.
type trouble struct {
	stopAfter, failAfter, spentAfter, rateAfter int
	// small restricts the agent to one parameter with three values.
	small bool
}

// around wraps inner in an agent that fails after a number of calls, as x describes. stop
// interrupts the run.
func (x trouble) around(inner inProcess, stop func()) inProcess {
	var count atomic.Int64
	return func(ctx context.Context, req agent.Request) agent.Result {
		calls := int(count.Add(1))
		switch {
		case x.stopAfter > 0 && calls > x.stopAfter:
			stop()
		case x.failAfter > 0 && calls > x.failAfter:
			return agent.Result{Outcome: agent.Infrastructure, Error: "the cable is cut"}
		case x.spentAfter > 0 && calls > x.spentAfter:
			return agent.Result{Outcome: agent.Infrastructure, Error: "spent", Refused: &agent.Refusal{Policy: "calls of this run", Spent: true}}
		case x.rateAfter > 0 && calls > x.rateAfter:
			return agent.Result{Outcome: agent.Infrastructure, Error: "too soon", Refused: &agent.Refusal{Policy: "one call an hour", RetryAfter: time.Hour}}
		}
		return inner(ctx, req)
	}
}
