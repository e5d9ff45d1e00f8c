package agent

import "time"

// Refusal is a limit that prevented a task from being done properly. The limit is one
// that calls share (a budget, a rate, a breaker, the concurrency), so the refusal depends
// on earlier calls by others and shows nothing about the config.
type Refusal struct {
	// Policy names the limit and its tool or provider, on one line, such as "tool grep:
	// budget exceeded: calls per run, limit 5".
	Policy string
	// Spent reports whether the limit is a budget, which stays spent for the rest of the
	// run. Rate reports whether the limit bounds calls by time: a rate, the concurrency, or
	// a limit that the remote service sets.
	Spent, Rate bool
	// Tool is the tool whose breaker is open; it is empty for any other limit.
	Tool string
	// RetryAfter is the time after which another attempt may be allowed; it is 0 if that is
	// unknown.
	RetryAfter time.Duration
}

// Outcome returns the outcome of an evaluation that the limit ended. Both outcomes that it
// can return count as missing data.
func (r Refusal) Outcome() Outcome {
	if r.Rate {
		return RateLimited
	}
	return Infrastructure
}
