package render

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"evolve/reports/number"
	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// guards returns a table of the calls to each tool and provider, with their latency and the
// extent to which breakers, limits and budgets came into effect.
func guards(stats []policy.Stat) table {
	t := newTable(nil, plain("tool or provider"), figures("calls", "not ok", "retries", "p50", "p95", "p99"), wraps("limits"))
	for _, s := range stats {
		t.add("",
			guarded(s.Name, s.Origin), number.Count(int(s.Calls)), number.Count(int(s.Calls-s.Outcomes[agent.OK])), number.Count(int(s.Retries)),
			span64(s.P50), span64(s.P95), span64(s.P99), limits(s))
	}
	return t
}

// liveGuards returns a table of the calls made in live turns, and of how limits and
// breakers delayed or refused them. It shows no latencies, because none are stored.
func liveGuards(list []policy.Saturation) table {
	t := newTable(nil, plain("tool or provider"), figures("calls", "not ok", "retries"), wraps("limits"))
	for _, s := range list {
		t.add("", guarded(s.Name, s.Origin), number.Count(int(s.Calls)), number.Count(int(s.Calls-s.Outcomes[agent.OK])), number.Count(int(s.Retries)),
			limits(policy.Stat{Saturation: s}))
	}
	return t
}

// guarded returns the name of a tool or provider, with its origin unless the origin is
// evolve.
func guarded(name, origin string) spans {
	out := say(clipped(name, 80))
	if origin != "" && origin != "local" {
		out = append(out, theirs("  "+clipped(origin, 40).Text, aside))
	}
	return out
}

func span64(d time.Duration) string { return number.Duration(d.Seconds()) }

// limits returns a description of how much of the limits of a tool or provider was used.
func limits(s policy.Stat) spans {
	var items []spans
	add := func(words string) { items = append(items, say(words)) }
	if s.Breaker == "open" || s.Breaker == "half_open" {
		items = append(items, say(styled("breaker "+strings.ReplaceAll(s.Breaker, "_", "-"), bad)))
	}
	if s.Opened > 0 {
		words := "breaker opened " + number.Plural(s.Opened, "time")
		if s.Open > 0 {
			words += ", for " + span64(s.Open)
		}
		add(words)
	}
	for _, refused := range []struct {
		outcome agent.Outcome
		by      string
	}{
		{agent.CircuitOpen, "by an open circuit breaker"}, {agent.BudgetExceeded, "because a budget was spent"}, {agent.Denied, "by policy"},
	} {
		if n := s.Outcomes[refused.outcome]; n > 0 {
			add(number.Plural(int(n), "call") + " refused " + refused.by)
		}
	}
	if s.RateWait > 0 {
		add("waited " + span64(s.RateWait) + " because of its rate limit" + shareOf(s.RateBound, s.Over))
	}
	if s.QueueWait > 0 {
		add("waited " + span64(s.QueueWait) + " because of its concurrency limit" + shareOf(s.QueueBound, s.Over))
	}
	if n := s.Outcomes[agent.RateLimited]; n > 0 {
		add(number.Count(int(n)) + " rate limited")
	}
	if s.Abandoned > 0 {
		add(strconv.Itoa(s.Abandoned) + " abandoned and still running")
	}
	for _, b := range s.Budgets {
		add("budget of a " + b.Scope + ": " + used(b))
	}
	if len(items) == 0 {
		return say(styled("none reached", dim))
	}
	return list(items, "; ")
}

// shareOf returns a phrase for bound/over, which is the share of the time in which at
// least one call waited. It returns "" if the share is below 1 %.
func shareOf(bound, over time.Duration) string {
	if over <= 0 || bound < over/100 {
		return ""
	}
	return fmt.Sprintf(" (%.0f %% of the time)", 100*min(1, bound.Seconds()/over.Seconds()))
}

// used returns a description of how much of a budget has been spent.
func used(b policy.BudgetStat) string {
	var parts []string
	add := func(text string) { parts = append(parts, text) }
	if b.Limit.USD > 0 {
		add(number.Dollars(b.Used.USD) + " of " + number.Dollars(b.Limit.USD))
	}
	if b.Limit.Calls > 0 {
		add(number.Count(int(b.Used.Calls)) + " of " + number.Plural(int(b.Limit.Calls), "call"))
	}
	if b.Limit.Tokens > 0 {
		add(number.Count(int(b.Used.Tokens)) + " of " + number.Plural(int(b.Limit.Tokens), "token"))
	}
	if b.Limit.Elapsed > 0 {
		add(span64(b.Used.Elapsed) + " of " + span64(b.Limit.Elapsed))
	}
	return strings.Join(parts, ", ")
}
