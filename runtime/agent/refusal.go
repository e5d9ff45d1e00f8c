package agent

import "time"

// Refusal is the limit that kept a task from being done properly. It is a limit that
// calls share (a budget, a rate, a breaker, the concurrency), so it depends on earlier
// calls of others and shows nothing about the config.
type Refusal struct {
	// Policy names the limit and its tool or provider, in one line, such as "tool grep:
	// budget exceeded: calls per run, limit 5".
	Policy string
	// Spent reports whether the limit is a budget, which stays spent for the rest of the
	// run. Rate reports whether it bounds calls by time: a rate, the concurrency, or a
	// limit that the other side sets.
	Spent, Rate bool
	// Tool is the tool whose breaker is open; empty for another limit.
	Tool string
	// RetryAfter is the time until a further attempt may be let through; 0 if unknown.
	RetryAfter time.Duration
}

// Outcome returns the outcome of an evaluation that the limit ended. Both are missing data.
func (r Refusal) Outcome() Outcome {
	if r.Rate {
		return RateLimited
	}
	return Infrastructure
}
