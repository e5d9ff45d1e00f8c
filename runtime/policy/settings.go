package policy

import (
	"time"

	"evolve/runtime/agent"
)

// Settings are the limits of a call. In a layer a zero field is unset; in resolved
// settings it means that there is no such limit.
type Settings struct {
	// Deadline bounds the whole call, attempts and waiting included.
	Deadline time.Duration `json:"deadline,omitempty"`
	// Attempts is the maximum number of attempts of a call; 1 is no retry. Calls that may
	// not be repeated always have one attempt.
	Attempts int `json:"attempts,omitempty"`
	// Backoff is the pause before the second attempt. It doubles up to MaxBackoff, and
	// stays the same without one. Each pause is between half of this value and all of it.
	Backoff    time.Duration `json:"backoff,omitempty"`
	MaxBackoff time.Duration `json:"max_backoff,omitempty"`

	// The breaker opens when, among the last BreakerCalls calls, the share of failures
	// reaches BreakerFailures, or the share of calls that took longer than BreakerSlow
	// reaches BreakerSlowShare. It stays open for BreakerOpen and then lets
	// BreakerProbes calls through.
	BreakerCalls     int           `json:"breaker_calls,omitempty"`
	BreakerFailures  float64       `json:"breaker_failures,omitempty"`
	BreakerSlow      time.Duration `json:"breaker_slow,omitempty"`
	BreakerSlowShare float64       `json:"breaker_slow_share,omitempty"`
	BreakerOpen      time.Duration `json:"breaker_open,omitempty"`
	BreakerProbes    int           `json:"breaker_probes,omitempty"`

	// RateCalls calls are let through in each RatePer, evenly; an attempt waits at most
	// RateWait for its turn and is rate limited after that. RateWait also bounds the
	// wait for a retry-after that another call received.
	RateCalls int           `json:"rate_calls,omitempty"`
	RatePer   time.Duration `json:"rate_per,omitempty"`
	RateWait  time.Duration `json:"rate_wait,omitempty"`

	// Concurrency is the maximum number of attempts that run at once. Waiting ones are
	// served in turn among agents, so that one cannot starve the others, and wait at most
	// QueueWait.
	Concurrency int           `json:"concurrency,omitempty"`
	QueueWait   time.Duration `json:"queue_wait,omitempty"`

	// Budgets of this tool or provider: for the whole run, for each agent in the run,
	// and for the day (UTC), which includes the earlier runs of that day.
	PerRun   Budget `json:"per_run,omitzero"`
	PerAgent Budget `json:"per_agent,omitzero"`
	PerDay   Budget `json:"per_day,omitzero"`
	// Exhausted is the effect of a spent budget: Deny (the default) refuses the call;
	// Degrade, for a provider, refuses it too but names DegradedTo, another provider
	// that the caller may use. Without such a name it denies.
	Exhausted  Exhausted `json:"exhausted,omitempty"`
	DegradedTo string    `json:"degraded_to,omitempty"`
}

// Budget is what may be spent; a zero field is no bound.
type Budget struct {
	// Calls counts attempts: a retry is a call to the other side.
	Calls  int64   `json:"calls,omitempty"`
	Tokens int64   `json:"tokens,omitempty"`
	USD    float64 `json:"usd,omitempty"`
	// Elapsed is the sum of the running times of attempts, without waiting.
	Elapsed time.Duration `json:"elapsed,omitempty"`
}

// Usage is what has been spent of the resources that a Budget bounds.
type Usage struct {
	Calls   int64         `json:"calls"`
	Tokens  int64         `json:"tokens"`
	USD     float64       `json:"usd"`
	Elapsed time.Duration `json:"elapsed"`
}

// Exhausted is the effect of a spent budget.
type Exhausted string

const (
	Deny    Exhausted = "deny"
	Degrade Exhausted = "degrade"
)

// Book holds every layer that an operator may write. Its zero value leaves the built-in
// settings alone.
type Book struct {
	Environment Settings
	// Origins holds overlays by origin: "local", "authored", "mcp", "mcp:<server>". For
	// mcp and authored the environment only tightens the built-in settings; an overlay
	// here may loosen them.
	Origins   map[string]Settings
	Roles     map[string]Settings // by agent id
	Tools     map[string]Settings
	Providers map[string]Settings
}

// Kind is the kind of a call's target.
type Kind string

// The kinds of targets.
const (
	Tool     Kind = "tool"
	Provider Kind = "provider"
	// Agent is an operator's own program or service as a whole: one call is one of its
	// tasks. Only the layer of its role applies, without its deadline, which would
	// include the wait for the task.
	Agent Kind = "agent"
)

// Call is one call to guard.
type Call struct {
	Kind   Kind
	Name   string // of the tool or provider
	Origin string // of a tool: "local", "authored" or "mcp:<server>"
	Agent  string
	// ID and Seed make the jitter of the backoff repeatable.
	ID   string
	Seed int64
	// Repeatable reports whether a second attempt does no harm: the effect is read, or
	// an idempotent write with its idempotency key.
	Repeatable bool
	// Estimate is the expected cost of one attempt, reserved before it starts.
	Estimate Spent
}

// Spent is what a call used.
type Spent struct {
	Tokens int64
	USD    float64
}

// Value is one resolved setting and the layer it came from.
type Value struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
	// Origin is "built in", "environment", "origin mcp", "role clerk", "tool grep",
	// "provider remote".
	Origin string `json:"origin"`
}

// Applied is the PolicyApplied event of one call. It holds no times, so that the
// transcript of a deterministic agent repeats byte for byte.
type Applied struct {
	// Kind and Name are the target's: the tool or the provider that was called.
	Kind Kind   `json:"kind,omitempty"`
	Name string `json:"name,omitempty"`
	// Version is that of the book: the first 64 bits of its hash, in hexadecimal.
	Version  string  `json:"version"`
	Values   []Value `json:"values,omitempty"`
	Attempts int     `json:"attempts"`
	// Degraded is the provider to use instead after an exhausted budget.
	Degraded string `json:"degraded,omitempty"`
	// Limited are the limits that held the call back, in order; at most maxLimited. They
	// hold times, and are events of their own in a transcript.
	Limited []Limited `json:"-"`
	// Waited is the time in which the call waited for limits, all attempts together.
	Waited time.Duration `json:"-"`
}

// Limited is one limit that held a call back: it waited in a queue or for its rate, the
// other side or a limit refused it, or a breaker was open.
type Limited struct {
	// Outcome is rate_limited or circuit_open; empty where the call only waited.
	Outcome agent.Outcome
	// Text describes the limit, with its retry-after.
	Text string
}

// Failure is the error of a guarded function that policies act on. Any other error is
// not retried, and counts as healthy for the breaker. A Failure counts against the
// breaker unless its outcome is rate_limited or cancelled: neither means that the other
// side is unwell.
type Failure struct {
	Outcome agent.Outcome // execution, timeout, rate_limited …
	// Retry reports whether another attempt may help.
	Retry bool
	// RetryAfter is the other side's hint; zero when it gave none.
	RetryAfter time.Duration
	Err        error
}

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }
