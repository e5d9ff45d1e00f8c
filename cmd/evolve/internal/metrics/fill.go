package metrics

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"evolve/archive"
	"evolve/runtime/policy"
)

// mostTargets limits the number of tools and providers whose metrics are exported for
// each value of the label "use".
const mostTargets = 100

// sheet returns the metrics of a night.
func (n Night) sheet() *sheet {
	s := newSheet(NightDefinitions(), map[string]string{"workspace": n.Workspace})
	s.set("evolve_build_info", 1, n.Version, n.Go)
	s.stamp("evolve_command_end_timestamp_seconds", n.Ended)
	s.set("evolve_command_exit_code", float64(n.Exit))
	if n.Run != nil {
		n.run(s)
	}
	s.stamp("evolve_run_success_timestamp_seconds", n.Succeeded)
	for i := range n.Agents {
		n.Agents[i].fill(s)
	}
	for _, w := range n.Waiting {
		s.set("evolve_decisions_waiting", float64(w.Count), w.Agent, w.Kind)
		s.stamp("evolve_decisions_oldest_timestamp_seconds", w.Oldest, w.Agent, w.Kind)
	}
	s.saturations("live", n.Live)
	if h := n.Hub; h != nil {
		for result, count := range h.Tasks {
			s.set("evolve_hub_tasks", float64(count), result)
		}
		s.set("evolve_hub_repeated_cost_usd", h.RepeatedUSD)
		s.set("evolve_hub_workers", float64(h.Workers))
	}
	return s
}

// stamp sets a time; it leaves out a zero time.
func (s *sheet) stamp(name string, at time.Time, labels ...string) {
	if !at.IsZero() {
		s.set(name, float64(at.UnixMilli())/1000, labels...)
	}
}

func (n Night) run(s *sheet) {
	r := n.Run
	s.set("evolve_run_number", float64(r.Number))
	s.stamp("evolve_run_start_timestamp_seconds", r.Started)
	s.stamp("evolve_run_end_timestamp_seconds", r.Ended)
	s.set("evolve_run_exit_code", float64(r.Exit))
	since := r.Since
	if since.IsZero() {
		since = r.Started
	}
	if !r.Ended.IsZero() {
		s.set("evolve_run_duration_seconds", max(0, (r.Ended.Sub(since)+r.Worked).Seconds()))
	}
	for phase, took := range r.Phases {
		s.set("evolve_run_phase_duration_seconds", took.Seconds(), phase)
	}
	s.set("evolve_run_resumed", float64(r.Resumed))
	s.set("evolve_run_concurrency", float64(r.Reached))
	s.set("evolve_run_cost_usd", n.PaidUSD)
	for _, l := range n.Limits {
		if l.Of > 0 {
			s.set("evolve_run_limit_used_ratio", l.Spent/l.Of, l.Name)
		}
	}
	var sums []policy.Saturation
	for _, g := range r.Guards {
		sums = append(sums, g.Saturation)
	}
	s.saturations("run", sums)
	for _, g := range busiest(r.Guards, func(g policy.Stat) int64 { return g.Calls }) {
		s.guard(g)
	}
}

func (a *Agent) fill(s *sheet) {
	s.set("evolve_agent_run_number", float64(a.Run), a.ID)
	s.stamp("evolve_agent_run_end_timestamp_seconds", a.Ended, a.ID)
	for _, v := range []archive.Verdict{archive.Adopt, archive.Keep, archive.Undecided, archive.Trade, archive.Waits, archive.Refused} {
		s.flag("evolve_agent_verdict", a.Result.Verdict == v, a.ID, string(v))
	}
	s.flag("evolve_agent_incomplete", a.Result.Incomplete != "", a.ID)
	s.flag("evolve_agent_fallen", a.Result.Watch != nil && a.Result.Watch.Fall != nil, a.ID)
	if c := a.Result.Search.Champion; c.Evaluations > 0 {
		s.set("evolve_agent_champion_score", c.Score, a.ID)
	}
	for _, result := range Results() {
		s.set("evolve_agent_evaluations", float64(a.Evaluations[result]), a.ID, result)
	}
	s.distribution("evolve_agent_evaluation_duration_seconds", &a.Latency, a.ID)
	s.set("evolve_agent_cost_usd", a.USD, a.ID)
	s.set("evolve_agent_tokens", float64(a.Input), a.ID, "input")
	s.set("evolve_agent_tokens", float64(a.Output), a.ID, "output")
	s.set("evolve_agent_tokens", float64(a.CachedRead), a.ID, "cached")
	if l := a.Limit; l.Bound != "" {
		s.set("evolve_agent_budget_evaluations", float64(l.Evaluations), a.ID)
		s.set("evolve_agent_budget_left_evaluations", float64(max(0, l.Evaluations-l.Used)), a.ID)
	}
	if l := a.Limit; l.Made > 0 {
		s.set("evolve_agent_search_seconds_per_evaluation", max(0, l.Seconds-l.Alone), a.ID)
	}
}

// busiest returns the entries with the most calls, at most mostTargets of them.
func busiest[T any](list []T, calls func(T) int64) []T {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(calls(b), calls(a)) })
	return list[:min(len(list), mostTargets)]
}

// saturations sets the metrics of the calls whose label "use" has the given value: their
// outcomes, retries and waits for limits, and the openings of breakers.
func (s *sheet) saturations(use string, list []policy.Saturation) {
	kept := busiest(list, func(t policy.Saturation) int64 { return t.Calls })
	s.set("evolve_policy_targets_left_out", float64(len(list)-len(kept)), use)
	for _, t := range kept {
		of := func(more ...string) []string {
			return append([]string{use, string(t.Kind), t.Name, t.Origin}, more...)
		}
		for _, o := range slices.Sorted(maps.Keys(t.Outcomes)) {
			if o.Valid() {
				s.set("evolve_policy_calls", float64(t.Outcomes[o]), of(string(o))...)
			}
		}
		s.set("evolve_policy_retries", float64(t.Retries), of()...)
		for limit, d := range map[string][2]time.Duration{"rate": {t.RateWait, t.RateBound}, "concurrency": {t.QueueWait, t.QueueBound}} {
			s.set("evolve_policy_wait_seconds", d[0].Seconds(), of(limit)...)
			if t.Over > 0 {
				s.set("evolve_policy_saturation_ratio", min(1, d[1].Seconds()/t.Over.Seconds()), of(limit)...)
			}
		}
		s.set("evolve_policy_breaker_openings", float64(t.Opened), of()...)
		s.set("evolve_policy_breaker_open_seconds", t.Open.Seconds(), of()...)
	}
}

// guard sets the metrics that are available only from the statistics of a run.
func (s *sheet) guard(g policy.Stat) {
	of := []string{"run", string(g.Kind), g.Name, g.Origin}
	if g.Cap > 0 {
		s.set("evolve_policy_concurrency_limit", float64(g.Cap), of...)
	}
	if g.Attempts > 0 {
		for _, at := range []struct {
			name string
			took time.Duration
		}{{"p50", g.P50}, {"p95", g.P95}, {"p99", g.P99}, {"max", g.Max}} {
			s.set("evolve_policy_attempt_duration_seconds", at.took.Seconds(), append(slices.Clone(of), at.name)...)
		}
	}
	for _, b := range g.Budgets {
		for _, r := range []struct {
			name        string
			used, limit float64
		}{
			{"usd", b.Used.USD, b.Limit.USD},
			{"calls", float64(b.Used.Calls), float64(b.Limit.Calls)},
			{"tokens", float64(b.Used.Tokens), float64(b.Limit.Tokens)},
			{"seconds", b.Used.Elapsed.Seconds(), b.Limit.Elapsed.Seconds()},
		} {
			if r.limit > 0 {
				s.set("evolve_policy_budget_used_ratio", r.used/r.limit, string(g.Kind), g.Name, g.Origin, b.Scope, b.Agent, r.name)
			}
		}
	}
}
