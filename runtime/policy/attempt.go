package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// function is the guarded function.
type function func(ctx context.Context, attempt int) (any, Spent, error)

// execution is one call that passes through the policies.
type execution struct {
	engine *Engine
	call   Call
	plan   *plan
	target *target
	parent context.Context // of the caller
	run    function
	began  time.Time

	attempts int // attempts that ran
	waited   time.Duration
	value    any   // of the last attempt
	err      error // of the last attempt, or why there was none
	last     error // run's own error from an earlier attempt
	budget   *BudgetError
	own      bool // err is run's, not the policies'
	observed bool // the other side's limit was noted already
	limited  []Limited
}

// ending is the result of run.
type ending struct {
	value any
	spent Spent
	err   error
}

// attempt takes one attempt through the policies, in the order given in doc.go.
func (x *execution) attempt(ctx context.Context) (any, error) {
	x.own, x.observed = false, false
	s := &x.plan.settings
	reserved, err := x.target.spending.reserve(time.Now(), x.call.Agent, s, x.call.Estimate)
	if err != nil {
		return nil, x.refused(err)
	}
	k, err := x.waitFor(ctx)
	if err != nil {
		reserved.cancel()
		return nil, x.refused(err)
	}
	ctx, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	began := time.Now()
	if err := reserved.begin(began, func(b *BudgetError) { cut(b) }); err != nil {
		x.leave(k, neutral, 0)
		x.target.release()
		return nil, x.refused(err)
	}
	x.attempts++
	f := x.start(ctx, reserved)
	end, ended := f.wait(ctx)
	ran := time.Since(began)
	x.target.meter.ran(ran)
	switch {
	case ended && end.err == nil:
		x.leave(k, healthy, ran)
	case ctx.Err() != nil:
		end = ending{err: x.overtaken(ctx, end.err, k, ran)}
	default:
		x.own = true
		x.leave(k, x.judge(end.err), ran)
	}
	// Release the permit only after the breaker has recorded the attempt: the next
	// call in the queue must see its new state.
	if ended || !x.abandon(f) {
		x.target.release()
	}
	return end.value, end.err
}

// flight is a running function.
type flight struct {
	state atomic.Int32
	done  chan ending
}

// The states of a flight. The side that changes aloft first determines who releases the
// permit: the caller that waited, or the abandoned function.
const (
	flying int32 = iota
	landed
	left
)

// start runs the function in a goroutine of its own.
func (x *execution) start(ctx context.Context, reserved *reservation) *flight {
	f := &flight{done: make(chan ending, 1)}
	attempt := x.attempts
	go func() {
		var end ending
		returned := false
		defer func() {
			if p := recover(); p != nil {
				end.err = crashed("panic: " + text.Clip(fmt.Sprint(p), 200))
			} else if !returned {
				end.err = crashed("the function ended its goroutine")
			}
			reserved.finalize(time.Now(), end.spent)
			if f.state.CompareAndSwap(flying, landed) {
				f.done <- end
				return
			}
			x.target.release()
			x.target.abandoned.Add(-1)
			x.engine.orphans.add(-1)
		}()
		end.value, end.spent, end.err = x.run(ctx, attempt)
		returned = true
	}()
	return f
}

// wait returns the function's result, or false if ctx ended first.
func (f *flight) wait(ctx context.Context) (ending, bool) {
	select {
	case end := <-f.done:
		return end, true
	case <-ctx.Done():
	}
	select {
	case end := <-f.done: // both at once
		return end, true
	default:
		return ending{}, false
	}
}

// abandon stops waiting for a function and reports whether it still runs.
func (x *execution) abandon(f *flight) bool {
	x.target.abandoned.Add(1)
	x.engine.orphans.add(1)
	if f.state.CompareAndSwap(flying, left) {
		return true
	}
	x.target.abandoned.Add(-1)
	x.engine.orphans.add(-1)
	return false
}

// crashed returns the failure of a function that did not return. Its effects are
// unknown, so it is not repeated.
func crashed(how string) error {
	return &Failure{Outcome: agent.Execution, Err: errors.New(how)}
}

// waitFor calls admit, and counts its duration as waiting.
func (x *execution) waitFor(ctx context.Context) (ticket, error) {
	began := time.Now()
	waits := waitsOf(ctx)
	waits.begin(began)
	k, err := x.admit(ctx)
	ended := time.Now()
	waits.end(ended)
	x.waited += ended.Sub(began)
	return k, err
}

// admit does all waiting of an attempt. Without an error, the attempt holds a permit
// and a ticket of the breaker, if there is one.
func (x *execution) admit(ctx context.Context) (ticket, error) {
	t, s := x.target, &x.plan.settings
	if t.abandoned.Load() >= maxAbandoned {
		return 0, &CircuitOpenError{} // the time at which a probe ends is unknown
	}
	if b := x.plan.breaker; b != nil { // refuse now rather than after a wait
		if err := b.refuses(); err != nil {
			return 0, err
		}
	}
	waitLimit := limitWait(ctx, s.RateWait)
	if left := t.gate.left(); left > 0 && left > time.Until(waitLimit.until) {
		return 0, &RateLimitedError{RetryAfter: left}
	}
	queued, err := t.acquire(ctx, x.call.Agent, x.plan.permits(), limitWait(ctx, s.QueueWait))
	t.meter.queued(queued)
	x.noteWait("queued", concurrencySetting, queued)
	if err != nil {
		if errors.Is(err, errQueueWait) {
			err = &RateLimitedError{setting: concurrencySetting}
		}
		return 0, err
	}
	k, err := x.enter(ctx)
	if err != nil {
		t.release()
	}
	return k, err
}

// enter waits for the rate and then asks the breaker for a ticket, so that its state is
// current.
func (x *execution) enter(ctx context.Context) (ticket, error) {
	if err := x.keepPace(ctx); err != nil || x.plan.breaker == nil {
		return 0, err
	}
	return x.plan.breaker.enter()
}

func (x *execution) keepPace(ctx context.Context) error {
	if len(x.plan.paces) == 0 && x.target.gate.left() == 0 {
		return ctx.Err()
	}
	var waited time.Duration
	defer func() {
		x.target.meter.waited(waited)
		x.noteWait("waited", rateSetting, waited)
	}()
	waitLimit := limitWait(ctx, x.plan.settings.RateWait)
	held := func() error {
		d, err := x.target.gate.wait(ctx, waitLimit, &x.target.paced)
		waited += d
		return err
	}
	for _, p := range x.plan.paces {
		if err := held(); err != nil {
			return err
		}
		d, err := p.wait(ctx, x.call.Agent, waitLimit, &x.target.paced)
		waited += d
		if err != nil {
			return err
		}
	}
	return held() // the gate may have shut meanwhile
}

// leave records in the breaker how an attempt ended.
func (x *execution) leave(k ticket, v verdict, ran time.Duration) {
	if b := x.plan.breaker; b != nil {
		b.leave(k, v, ran)
	}
}

// judge returns the verdict on run's own error, and shuts the gate when the other side
// asks for it.
func (x *execution) judge(err error) verdict {
	var f *Failure
	if !errors.As(err, &f) {
		return healthy
	}
	if f.Outcome == agent.RateLimited || f.RetryAfter > 0 {
		x.target.gate.shut(f.RetryAfter)
		x.observed = true
		x.note(agent.RateLimited, "rate limited by the other side"+later(f.RetryAfter))
	}
	if f.Outcome == agent.RateLimited || f.Outcome == agent.Cancelled {
		return neutral
	}
	return unhealthy
}

// overtaken returns the error of an attempt whose context ended, while the function ran
// or when it returned err. A cancelled attempt shows nothing about the other side, and
// neither does one that had less than half of its deadline.
func (x *execution) overtaken(ctx context.Context, err error, k ticket, ran time.Duration) error {
	ended := x.ended(ctx)
	var timeout *TimeoutError
	v := neutral
	if errors.As(ended, &timeout) && ran >= x.deadline()/2 {
		v = unhealthy
	}
	x.leave(k, v, ran)
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		x.last = err
	}
	return x.refused(ended)
}

// deadlineKey is the key of a deadline in a context.
type deadlineKey struct{}

// WithDeadline returns a context whose calls have a deadline of their own in place of the
// built-in one. A deadline that a layer sets holds.
func WithDeadline(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, deadlineKey{}, d)
}

// deadline returns the bound of the whole call.
func (x *execution) deadline() time.Duration {
	if own, ok := x.parent.Value(deadlineKey{}).(time.Duration); ok && x.plan.preset {
		return own
	}
	return x.plan.settings.Deadline
}

// ended returns why the context ended: the caller first, then a budget of time, then
// the deadline.
func (x *execution) ended(ctx context.Context) error {
	if err := x.parent.Err(); err != nil {
		return err
	}
	var b *BudgetError
	if errors.As(context.Cause(ctx), &b) {
		return b
	}
	return &TimeoutError{Elapsed: time.Since(x.began), Deadline: x.deadline(), Waited: x.waited}
}

// refused adds run's last failure to an error of the policies.
func (x *execution) refused(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		err = x.ended(x.parent)
	}
	switch e := err.(type) { //nolint:errorlint // ours, which nothing has wrapped yet
	case *TimeoutError:
		e.Err = x.last
	case *CircuitOpenError:
		e.Err = x.last
		x.note(agent.CircuitOpen, "circuit open"+later(e.RetryAfter))
	case *BudgetError:
		e.Err = x.last
		x.budget = e
	case *RateLimitedError:
		e.Err = x.last
		e.Policy = x.plan.where(e.setting)
		if !x.observed {
			by := ""
			if e.Policy != "" {
				by = " by " + e.Policy
			}
			x.note(agent.RateLimited, "rate limited"+by+later(e.RetryAfter))
		}
	}
	return err
}

// maxLimited bounds the limits that are noted of one call, and minWait, in time, the
// waits.
const (
	maxLimited = 16
	minWait    = time.Millisecond
)

// note records a limit that held the call back.
func (x *execution) note(outcome agent.Outcome, text string) {
	if len(x.limited) < maxLimited {
		x.limited = append(x.limited, Limited{outcome, text})
	}
}

// noteWait records a wait of noticeable length for a setting.
func (x *execution) noteWait(how, setting string, took time.Duration) {
	if took >= minWait {
		x.note("", fmt.Sprintf("%s for %s: %s", how, took.Round(time.Millisecond), cmp.Or(x.plan.where(setting), setting)))
	}
}
