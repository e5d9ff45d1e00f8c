package agent

import "time"

// Refusal says which limit kept a task from being done as it should be. It is a limit
// that calls share (a budget, a rate, a breaker, room for calls at once), so that it
// depends on what others did before, and says nothing about the config.
type Refusal struct {
	// Policy names the limit and whose it is, in one line, such as
	// "tool grep: budget exceeded: calls per run, limit 5".
	Policy string
	// Spent reports whether it is a budget of which nothing comes back in this run.
	Spent bool
	// RetryAfter is when a further attempt may be let through; 0 when it is not known.
	RetryAfter time.Duration
}
