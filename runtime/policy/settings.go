package policy

import (
	"time"

	"evolve/runtime/agent"
)

// Settings are the limits of a call. In a layer, a zero field is unset; in resolved
// settings, it means that the limit does not exist.
type Settings struct {
	// Deadline limits the duration of the whole call, including attempts and waiting.
	Deadline time.Duration `json:"deadline,omitempty"`
	// Attempts is the maximum number of attempts of a call; 1 means no retries. Calls that
	// must not be repeated always have one attempt.
	Attempts int `json:"attempts,omitempty"`
	// Backoff is the pause before the second attempt. It doubles with each attempt up to
	// MaxBackoff, and stays the same if there is no MaxBackoff. Each actual pause is
	// between half of this value and all of it.
	Backoff    time.Duration `json:"backoff,omitempty"`
	MaxBackoff time.Duration `json:"max_backoff,omitempty"`

	// The breaker opens if, among the last BreakerCalls calls, the share of failures
	// reaches BreakerFailures, or the share of calls that took longer than BreakerSlow
	// reaches BreakerSlowShare. It stays open for BreakerOpen and then lets BreakerProbes
	// calls through.
	BreakerCalls     int           `json:"breaker_calls,omitempty"`
	BreakerFailures  float64       `json:"breaker_failures,omitempty"`
	BreakerSlow      time.Duration `json:"breaker_slow,omitempty"`
	BreakerSlowShare float64       `json:"breaker_slow_share,omitempty"`
	BreakerOpen      time.Duration `json:"breaker_open,omitempty"`
	BreakerProbes    int           `json:"breaker_probes,omitempty"`

	// In each RatePer, RateCalls calls are let through at even intervals. An attempt waits
	// at most RateWait for its turn; after that it fails as rate limited. RateWait also
	// limits the wait for a retry-after that another call received.
	RateCalls int           `json:"rate_calls,omitempty"`
	RatePer   time.Duration `json:"rate_per,omitempty"`
	RateWait  time.Duration `json:"rate_wait,omitempty"`

	// Concurrency is the maximum number of attempts that run at once. Waiting attempts are
	// served in rotation among agents, so one agent cannot starve the others, and they wait
	// at most QueueWait.
	Concurrency int           `json:"concurrency,omitempty"`
	QueueWait   time.Duration `json:"queue_wait,omitempty"`

	// Budgets of this tool or provider: for the whole run, for each agent in the run,
	// and for the day (UTC), which includes the earlier runs of that day.
	PerRun   Budget `json:"per_run,omitzero"`
	PerAgent Budget `json:"per_agent,omitzero"`
	PerDay   Budget `json:"per_day,omitzero"`
	// Exhausted is the effect of a spent budget: Deny (the default) refuses the call;
	// Degrade, for a provider, also refuses it but names DegradedTo, another provider that
	// the caller may use. Without DegradedTo, Degrade has the same effect as Deny.
	Exhausted  Exhausted `json:"exhausted,omitempty"`
	DegradedTo string    `json:"degraded_to,omitempty"`
}

// Budget is the maximum that may be spent; a zero field means no limit.
type Budget struct {
	// Calls limits the number of attempts, because a retry is also a call to the remote
	// service.
	Calls  int64   `json:"calls,omitempty"`
	Tokens int64   `json:"tokens,omitempty"`
	USD    float64 `json:"usd,omitempty"`
	// Elapsed limits the total running time of attempts, without waiting times.
	Elapsed time.Duration `json:"elapsed,omitempty"`
}

// Usage is how much has been spent of the resources that a Budget limits.
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

// Book holds all layers that an operator can set. Its zero value leaves the built-in
// settings unchanged.
type Book struct {
	Environment Settings
	// Origins holds overlays, keyed by origin: "local", "authored", "mcp",
	// "mcp:<server>". For mcp and authored, the environment can only tighten the built-in
	// settings, but an overlay here may loosen them.
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
	// Agent is an operator's own program or service as a whole: each call is one of its
	// tasks. Only the layer of its role applies, without the deadline in that layer,
	// because a deadline would include the time that the task waits.
	Agent Kind = "agent"
)

// Call is a call to make under the policies.
type Call struct {
	Kind   Kind
	Name   string // name of the tool or provider
	Origin string // origin of a tool: "local", "authored" or "mcp:<server>"
	Agent  string
	// ID and Seed make the jitter of the backoff reproducible.
	ID   string
	Seed int64
	// Repeatable reports whether a second attempt does no harm: the effect is a read, or an
	// idempotent write with its idempotency key.
	Repeatable bool
	// Estimate is what one attempt is expected to use. It is reserved before the attempt
	// starts.
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
	// Origin names the layer, such as "built in", "environment", "origin mcp", "role
	// clerk", "tool grep" or "provider remote".
	Origin string `json:"origin"`
}

// Applied is the PolicyApplied event of one call. It contains no times, so repeating a
// deterministic agent yields the same transcript, byte for byte.
type Applied struct {
	// Kind and Name identify the target, the tool or provider that was called.
	Kind Kind   `json:"kind,omitempty"`
	Name string `json:"name,omitempty"`
	// Version is the version of the book: the first 64 bits of its hash, in hexadecimal.
	Version  string  `json:"version"`
	Values   []Value `json:"values,omitempty"`
	Attempts int     `json:"attempts"`
	// Degraded is the provider to use instead if a budget was exhausted; it is empty if
	// there is none.
	Degraded string `json:"degraded,omitempty"`
	// Limited holds the limits that held the call back, in order, at most maxLimited of
	// them. They contain times, so they are separate events in a transcript.
	Limited []Limited `json:"-"`
	// Waited is the total time that the call was delayed by limits, over all attempts.
	Waited time.Duration `json:"-"`
}

// Limited is one limit that held a call back: the call waited in a queue or for its rate
// limit, the remote service or a limit refused it, or a breaker was open.
type Limited struct {
	// Outcome is rate_limited or circuit_open; empty if the call only waited.
	Outcome agent.Outcome
	// Text describes the limit, including its retry-after if there is one.
	Text string
}

// Failure is an error from a guarded function to which the policies react. Any other error
// is not retried, and counts as healthy for the breaker. A Failure counts against the
// breaker unless its outcome is rate_limited or cancelled, because neither of these means
// that the remote service is in trouble.
type Failure struct {
	Outcome agent.Outcome // execution, timeout, rate_limited …
	// Retry reports whether another attempt may help.
	Retry bool
	// RetryAfter is the delay that the remote service suggested; zero if it suggested none.
	RetryAfter time.Duration
	Err        error
}

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }
