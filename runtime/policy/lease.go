package policy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Leaser makes the calls of this process under the policies of another process, which
// enforces the limits that several processes share.
type Leaser interface {
	// Lease does what [Engine.Do] would do in the other process: it calls run for each
	// attempt that is allowed, one after the other, and returns how the call ended. An
	// error means that the other process cannot be reached.
	Lease(ctx context.Context, c Call, run func(ctx context.Context, attempt int) (Spent, error)) (Leased, error)
}

// Leased describes how a call ended under the policies of another process.
type Leased struct {
	Applied Applied
	Limited []Limited
	// Waited is the total time that the call was delayed by limits, over all attempts.
	Waited time.Duration
	// Own reports whether the call ended with the result of its last attempt, which may
	// be an error, and not with an error from the policies.
	Own bool
	// Failed is the encoded error from the policies if Own is not set.
	Failed json.RawMessage
}

type leaserKey struct{}

// WithLeaser returns a context with which calls are made through l. Calls to local tools
// are excepted if they have no limit that processes could share.
func WithLeaser(ctx context.Context, l Leaser) context.Context {
	return context.WithValue(ctx, leaserKey{}, l)
}

// leaserOf returns the leaser of a context, or nil if the engine must make the calls
// itself.
func leaserOf(ctx context.Context) Leaser {
	l, _ := ctx.Value(leaserKey{}).(Leaser)
	return l
}

// shared reports whether any limit in the plan depends on other calls.
func (p *plan) shared() bool {
	alone := Settings{
		Deadline: p.settings.Deadline, Attempts: p.settings.Attempts, Backoff: p.settings.Backoff, MaxBackoff: p.settings.MaxBackoff,
		RateWait: p.settings.RateWait, QueueWait: p.settings.QueueWait, Exhausted: p.settings.Exhausted, DegradedTo: p.settings.DegradedTo,
	}
	return p.settings != alone || p.target.server != nil
}

// leased makes a call under the policies of another process.
func (e *Engine) leased(ctx context.Context, l Leaser, c Call, run function) (any, Applied, error) {
	var value any
	var last error
	got, err := l.Lease(ctx, c, func(ctx context.Context, attempt int) (Spent, error) {
		done := make(chan ending, 1)
		e.orphans.add(1)
		go func() {
			defer e.orphans.add(-1)
			end := ending{err: crashed("the function called runtime.Goexit")}
			defer func() {
				if p := recover(); p != nil {
					end.err = crashed("panic: " + text.Clip(fmt.Sprint(p), 200))
				}
				done <- end
			}()
			end.value, end.spent, end.err = run(ctx, attempt)
		}()
		select {
		case end := <-done:
			value, last = end.value, end.err
			return end.spent, end.err
		case <-ctx.Done():
			return Spent{}, context.Cause(ctx)
		}
	})
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		} else {
			err = &Failure{Outcome: agent.Infrastructure, Err: err}
		}
		return nil, got.Applied, err
	}
	waitsOf(ctx).add(got.Waited)
	got.Applied.Limited, got.Applied.Waited = got.Limited, got.Waited
	if got.Own {
		return value, got.Applied, last
	}
	return nil, got.Applied, decodeError(got.Failed)
}

// Lease makes a call on behalf of another process, under the policies of this engine. It
// returns an error if the context ends.
func (e *Engine) Lease(ctx context.Context, c Call, run func(ctx context.Context, attempt int) (Spent, error)) (Leased, error) {
	var waits Waits
	var last error
	applied, err := e.Do(WithWaits(ctx, &waits), c, func(ctx context.Context, attempt int) (spent Spent, err error) {
		spent, err = run(ctx, attempt)
		last = err
		return spent, err
	})
	if ctx.Err() != nil {
		return Leased{}, context.Cause(ctx)
	}
	out := Leased{Applied: applied, Limited: applied.Limited, Waited: waits.Total(time.Now()), Own: err == nil}
	if err != nil {
		encoded := encodeError(err)
		if out.Own = encoded.Kind == "" && errors.Is(err, last); !out.Own {
			if out.Failed, err = json.Marshal(encoded); err != nil {
				return Leased{}, fmt.Errorf("encoding the error of a failed call: %w", err)
			}
		}
	}
	return out, nil
}

// wireError is an error from the policies in the form in which it is sent to another
// process.
type wireError struct {
	Kind string `json:"kind"`
	// Text is the text of an error without a kind, and Last is the text of the last
	// attempt's error.
	Text string `json:"text,omitempty"`
	Last string `json:"last,omitempty"`

	Elapsed    time.Duration `json:"elapsed,omitempty"`
	Deadline   time.Duration `json:"deadline,omitempty"`
	Waited     time.Duration `json:"waited,omitempty"`
	RetryAfter time.Duration `json:"retry_after,omitempty"`
	Policy     string        `json:"policy,omitempty"`
	Setting    string        `json:"setting,omitempty"`
	Scope      string        `json:"scope,omitempty"`
	What       string        `json:"what,omitempty"`
	Limit      string        `json:"limit,omitempty"`
	DegradedTo string        `json:"degraded_to,omitempty"`
	Held       bool          `json:"held,omitempty"`
}

// The kinds of errors from the policies.
const (
	wireTimeout = "timeout"
	wireRate    = "rate"
	wireCircuit = "circuit"
	wireBudget  = "budget"
)

func encodeError(err error) wireError {
	var (
		late    *TimeoutError
		limited *RateLimitedError
		open    *CircuitOpenError
		spent   *BudgetError
	)
	switch {
	case errors.As(err, &late):
		return wireError{Kind: wireTimeout, Last: textOf(late.Err), Elapsed: late.Elapsed, Deadline: late.Deadline, Waited: late.Waited}
	case errors.As(err, &limited):
		return wireError{Kind: wireRate, Last: textOf(limited.Err), RetryAfter: limited.RetryAfter, Policy: limited.Policy, Setting: limited.setting}
	case errors.As(err, &open):
		return wireError{Kind: wireCircuit, Last: textOf(open.Err), RetryAfter: open.RetryAfter}
	case errors.As(err, &spent):
		return wireError{Kind: wireBudget, Last: textOf(spent.Err), Scope: spent.Scope, What: spent.What, Limit: spent.Limit, DegradedTo: spent.DegradedTo, Held: spent.Held}
	}
	return wireError{Text: err.Error()}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// decodeError returns the error that encodeError encoded.
func decodeError(data json.RawMessage) error {
	var w wireError
	if err := json.Unmarshal(data, &w); err != nil {
		return &Failure{Outcome: agent.Infrastructure, Err: fmt.Errorf("decoding the error of a failed call: %w", err)}
	}
	var last lastFailure
	if w.Last != "" {
		last.Err = errors.New(w.Last)
	}
	switch w.Kind {
	case wireTimeout:
		return &TimeoutError{Elapsed: w.Elapsed, Deadline: w.Deadline, Waited: w.Waited, lastFailure: last}
	case wireRate:
		return &RateLimitedError{RetryAfter: w.RetryAfter, Policy: w.Policy, setting: w.Setting, lastFailure: last}
	case wireCircuit:
		return &CircuitOpenError{RetryAfter: w.RetryAfter, lastFailure: last}
	case wireBudget:
		return &BudgetError{Scope: w.Scope, What: w.What, Limit: w.Limit, DegradedTo: w.DegradedTo, Held: w.Held, lastFailure: last}
	}
	return errors.New(w.Text)
}
