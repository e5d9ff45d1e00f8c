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
	// Backoff is the wait before the second attempt; it doubles up to MaxBackoff.
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

	// RateCalls calls are let through in each RatePer, evenly; a call waits at most
	// RateWait for its turn and is rate limited after that.
	RateCalls int           `json:"rate_calls,omitempty"`
	RatePer   time.Duration `json:"rate_per,omitempty"`
	RateWait  time.Duration `json:"rate_wait,omitempty"`

	// Concurrency is the number of calls under way at once. Waiting calls are served
	// in turn among agents, so that one cannot starve the others, and wait at most
	// QueueWait.
	Concurrency int           `json:"concurrency,omitempty"`
	QueueWait   time.Duration `json:"queue_wait,omitempty"`

	// Budgets of calls of this tool or provider.
	PerRun   Budget `json:"per_run,omitzero"`
	PerAgent Budget `json:"per_agent,omitzero"`
	PerDay   Budget `json:"per_day,omitzero"`
	// Exhausted says what a spent budget does: Deny (the default) refuses the call,
	// Degrade lets it through under DegradedTo, another provider's name, when there is one.
	Exhausted  Exhausted `json:"exhausted,omitempty"`
	DegradedTo string    `json:"degraded_to,omitempty"`
}

// Budget is what may be spent; a zero field is no bound.
type Budget struct {
	Calls   int64         `json:"calls,omitempty"`
	Tokens  int64         `json:"tokens,omitempty"`
	USD     float64       `json:"usd,omitempty"`
	Elapsed time.Duration `json:"elapsed,omitempty"`
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
	// Those of mcp and authored start stricter than the environment.
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
)

// Call is one call to guard.
type Call struct {
	Kind   Kind
	Name   string // of the tool or provider
	Origin string // of a tool
	Agent  string
	// ID and Seed make the jitter of the backoff repeatable.
	ID   string
	Seed int64
	// Repeatable says that a second attempt does no harm: the effect is read, or an
	// idempotent write that carries its idempotency key.
	Repeatable bool
	// Invocation may only be stricter than what the layers say; what is looser is
	// ignored, and the record says so.
	Invocation Settings
	// Estimate is what the call will probably spend, reserved before it starts.
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
	// "provider openai" or "invocation".
	Origin string `json:"origin"`
}

// Applied is the PolicyApplied event of one call. It holds no times, so that the
// transcript of a deterministic agent repeats byte for byte.
type Applied struct {
	// Version names the book: the first 64 bits of its hash, in hexadecimal.
	Version string  `json:"version"`
	Values  []Value `json:"values,omitempty"`
	// Ignored are settings of the invocation that were looser than the layers.
	Ignored  []string `json:"ignored,omitempty"`
	Attempts int      `json:"attempts"`
	// Degraded is the provider that an exhausted budget led to.
	Degraded string `json:"degraded,omitempty"`
}

// Failure is how a guarded function says that it failed in a way that policies
// act on. Any other error is not retried and does not count for the breaker.
type Failure struct {
	Outcome agent.Outcome // execution, timeout, rate_limited …
	// Retry says that another attempt may help.
	Retry bool
	// RetryAfter is the other side's hint; zero when it gave none.
	RetryAfter time.Duration
	Err        error
}

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }
