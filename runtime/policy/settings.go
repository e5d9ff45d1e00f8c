package policy

import (
	"time"

	"evolve/runtime/agent"
)

// Settings are the limits of a call. In a layer a zero field says nothing; in what
// was resolved it means that there is no such limit.
type Settings struct {
	// Deadline bounds the whole call, attempts and waiting included.
	Deadline time.Duration `json:"deadline,omitempty"`
	// Attempts is how often a call is tried at most; 1 is no retry. Calls that may
	// not be repeated have one attempt whatever stands here.
	Attempts int `json:"attempts,omitempty"`
	// Backoff is the wait before the second attempt; it doubles up to MaxBackoff,
	// and without one it stays the same. A pause is between half and all of that.
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
	// RateWait for its turn and is rate limited after that. RateWait bounds the wait
	// for a retry-after that another call was told, too.
	RateCalls int           `json:"rate_calls,omitempty"`
	RatePer   time.Duration `json:"rate_per,omitempty"`
	RateWait  time.Duration `json:"rate_wait,omitempty"`

	// Concurrency is the number of attempts under way at once. Waiting ones are served
	// in turn among agents, so that one cannot starve the others, and wait at most
	// QueueWait.
	Concurrency int           `json:"concurrency,omitempty"`
	QueueWait   time.Duration `json:"queue_wait,omitempty"`

	// Budgets of this tool or provider: of the whole run, of each agent in the run, and
	// of the day (UTC), the earlier runs of that day included.
	PerRun   Budget `json:"per_run,omitzero"`
	PerAgent Budget `json:"per_agent,omitzero"`
	PerDay   Budget `json:"per_day,omitzero"`
	// Exhausted says what a spent budget does: Deny (the default) refuses the call,
	// Degrade of a provider refuses it too but names DegradedTo, another provider that
	// the caller may turn to. Without such a name it denies.
	Exhausted  Exhausted `json:"exhausted,omitempty"`
	DegradedTo string    `json:"degraded_to,omitempty"`
}

// Budget is what may be spent; a zero field is no bound.
type Budget struct {
	// Calls counts attempts: a retry is a call to the other side.
	Calls  int64   `json:"calls,omitempty"`
	Tokens int64   `json:"tokens,omitempty"`
	USD    float64 `json:"usd,omitempty"`
	// Elapsed is the time in which attempts ran, added up; waiting is not in it.
	Elapsed time.Duration `json:"elapsed,omitempty"`
}

// Usage is what has been spent of the things that a Budget bounds.
type Usage struct {
	Calls   int64         `json:"calls"`
	Tokens  int64         `json:"tokens"`
	USD     float64       `json:"usd"`
	Elapsed time.Duration `json:"elapsed"`
}

// Exhausted is what happens when a budget is spent.
type Exhausted string

// What a spent budget does.
const (
	Deny    Exhausted = "deny"
	Degrade Exhausted = "degrade"
)

// Book is every layer an operator may write. Its zero value is the built-in
// environment alone.
type Book struct {
	Environment Settings
	// Origins holds overlays by origin: "local", "authored", "mcp", "mcp:<server>".
	// Those of mcp and authored start stricter: the environment only tightens what is
	// built in for them, an overlay here may loosen it.
	Origins   map[string]Settings
	Roles     map[string]Settings // by agent id
	Tools     map[string]Settings
	Providers map[string]Settings
}

// Kind says what is called.
type Kind string

// What a call calls.
const (
	Tool     Kind = "tool"
	Provider Kind = "provider"
	// Agent is an operator's own program or service as a whole: one call is one task of
	// it. Of the layers only its role holds, without the deadline, which is one of the
	// task and not of the wait for it.
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
	// Repeatable reports whether a second attempt does no harm: the effect is read, or an
	// idempotent write that carries its idempotency key.
	Repeatable bool
	// Invocation may only be stricter than what the layers say; what is looser is
	// ignored, and the record says so.
	Invocation Settings
	// Estimate is what one attempt will probably spend, reserved before it starts.
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
	// "provider remote" or "invocation".
	Origin string `json:"origin"`
}

// Applied is the PolicyApplied event of one call. It holds no times, so that the
// transcript of a deterministic agent repeats byte for byte.
type Applied struct {
	// Version names the book: the first 64 bits of its hash, in hexadecimal.
	Version string  `json:"version"`
	Values  []Value `json:"values,omitempty"`
	// Ignored are settings of the invocation that were not stricter than the layers.
	Ignored  []string `json:"ignored,omitempty"`
	Attempts int      `json:"attempts"`
	// Degraded is the provider that an exhausted budget led to.
	Degraded string `json:"degraded,omitempty"`
}

// Failure is how a guarded function says that it failed in a way that policies
// act on. Any other error is not retried, and to the breaker it is a call that was
// answered. A Failure counts against the breaker unless its outcome is rate_limited
// or cancelled: neither says that the other side is unwell.
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
