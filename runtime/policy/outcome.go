package policy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"evolve/runtime/agent"
)

// lastFailure is the part of an error that describes an earlier attempt.
type lastFailure struct {
	Err error // the error of the last attempt that failed by itself, or nil
}

// Unwrap returns the error of the last failed attempt.
func (l lastFailure) Unwrap() error { return l.Err }

// TimeoutError means that the call did not end before its deadline.
type TimeoutError struct {
	Elapsed  time.Duration
	Deadline time.Duration
	// Waited is the part of Elapsed during which the call waited for a permit or for its
	// rate limit.
	Waited time.Duration
	lastFailure
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("timed out after %s (deadline %s)%s", e.Elapsed.Round(time.Millisecond), e.Deadline, after(e.Err))
}

// Outcome returns timeout.
func (e *TimeoutError) Outcome() agent.Outcome { return agent.Timeout }

// RateLimitedError means that the call would have had to wait longer than it is allowed to:
// for its rate limit, for a permit, or for the time that the remote service requested.
type RateLimitedError struct {
	RetryAfter time.Duration // 0 when unknown
	lastFailure
	// Policy is the path of the limit relative to policies in the settings, such as
	// "roles.clerk.rate"; it is empty for a built-in limit and for a limit of the remote
	// service.
	Policy string

	// setting is the name of the setting because of which the call had to wait.
	setting string
}

func (e *RateLimitedError) Error() string {
	by := ""
	if e.Policy != "" {
		by = " by " + e.Policy
	}
	return "rate limited" + by + later(e.RetryAfter) + after(e.Err)
}

// Outcome returns rate_limited.
func (e *RateLimitedError) Outcome() agent.Outcome { return agent.RateLimited }

// CircuitOpenError means that too many recent calls failed or were slow.
type CircuitOpenError struct {
	RetryAfter time.Duration // 0 when unknown
	lastFailure
}

func (e *CircuitOpenError) Error() string {
	return "circuit open" + later(e.RetryAfter) + after(e.Err)
}

// Outcome returns circuit_open.
func (e *CircuitOpenError) Outcome() agent.Outcome { return agent.CircuitOpen }

// BudgetError means that a budget does not allow the call or another attempt at it, or
// that a time budget was exhausted and ended the call.
type BudgetError struct {
	Scope string // "run", "agent" or "day"
	What  string // "calls", "tokens", "usd" or "elapsed"
	Limit string // as written in the settings
	// DegradedTo is the provider to use instead; empty if there is none.
	DegradedTo string
	// Held reports whether the call would fit if running attempts freed the unused parts of
	// their estimates, in which case it may be allowed a moment later.
	Held bool
	lastFailure
}

func (e *BudgetError) Error() string {
	to := ""
	if e.DegradedTo != "" {
		to = ", degraded to " + e.DegradedTo
	}
	return fmt.Sprintf("budget exceeded: %s per %s, limit %s%s%s", e.What, e.Scope, e.Limit, to, after(e.Err))
}

// Outcome returns budget_exceeded.
func (e *BudgetError) Outcome() agent.Outcome { return agent.BudgetExceeded }

func later(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return ", retry after " + d.Round(time.Millisecond).String()
}

func after(err error) string {
	if err == nil {
		return ""
	}
	return ", last failure: " + err.Error()
}

// OutcomeOf returns the outcome for an error from [Engine.Do]; nil means ok.
func OutcomeOf(err error) agent.Outcome {
	var typed interface{ Outcome() agent.Outcome }
	var f *Failure
	outcome := agent.Execution
	switch {
	case err == nil:
		return agent.OK
	case errors.As(err, &typed):
		outcome = typed.Outcome()
	case errors.As(err, &f):
		outcome = f.Outcome
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return agent.Cancelled
	}
	if !outcome.Valid() {
		return agent.Execution
	}
	return outcome
}
