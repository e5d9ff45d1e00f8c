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

// function is a function to which the policies apply.
type function func(ctx context.Context, attempt int) (any, Spent, error)

// execution is the state of one call while the policies are applied to it.
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
	err      error // the error of the last attempt, or why no attempt was made
	last     error // the error that run returned in an earlier attempt
	budget   *BudgetError
	own      bool // err comes from run, not from the policies
	observed bool // the remote service's limit was already noted
	limited  []Limited
}

// ending is the result of run.
type ending struct {
	value any
	spent Spent
	err   error
}

// attempt performs one attempt under the policies, in the order given in doc.go.
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
	// Release the permit only after the breaker has recorded the attempt, because the next
	// call in the queue must see the breaker's new state.
	if ended || !x.abandon(f) {
		x.target.release()
	}
	return end.value, end.err
}

// flight is the running function of one attempt.
type flight struct {
	state atomic.Int32
	done  chan ending
}

// The states of a flight. The state is changed once, either to landed by the function
// when it ends or to left by the caller when it abandons the function. In the state
// landed the caller releases the permit; in the state left the goroutine of the function
// releases it.
const (
	flying int32 = iota
	landed
	left
)

// start runs the function in its own goroutine.
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

// abandon stops waiting for a function and reports whether the function is still running.
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

// crashed returns the failure of a function that did not return normally. Its effects are
// unknown, so it is not repeated.
func crashed(how string) error {
	return &Failure{Outcome: agent.Execution, Err: errors.New(how)}
}

// waitFor calls admit and records the time that it takes as waiting time.
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

// admit does all the waiting that precedes an attempt. If it returns no error, the attempt
// holds a permit and, if there is a breaker, one of its tickets.
func (x *execution) admit(ctx context.Context) (ticket, error) {
	t, s := x.target, &x.plan.settings
	if t.abandoned.Load() >= maxAbandoned {
		return 0, &CircuitOpenError{} // it is unknown when an abandoned call will end
	}
	if b := x.plan.breaker; b != nil { // refuse now instead of after a wait
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

// enter waits for the rate limits and only then requests a ticket from the breaker, so the
// decision depends on the breaker's current state.
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
	return held() // the gate may have shut in the meantime
}

// leave reports to the breaker how an attempt ended.
func (x *execution) leave(k ticket, v verdict, ran time.Duration) {
	if b := x.plan.breaker; b != nil {
		b.leave(k, v, ran)
	}
}

// judge returns the verdict on an error that run returned. If the remote service limited
// the rate or requested a delay, judge also shuts the gate.
func (x *execution) judge(err error) verdict {
	var f *Failure
	if !errors.As(err, &f) {
		return healthy
	}
	if f.Outcome == agent.RateLimited || f.RetryAfter > 0 {
		x.target.gate.shut(f.RetryAfter)
		x.observed = true
		x.note(agent.RateLimited, "rate limited by the remote service"+later(f.RetryAfter))
	}
	if f.Outcome == agent.RateLimited || f.Outcome == agent.Cancelled {
		return neutral
	}
	return unhealthy
}

// overtaken returns the error of an attempt whose context ended, either while the function
// ran or when it returned err. An attempt that was cancelled, or that ran for less than
// half of the deadline, provides no evidence about the remote service.
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

// deadlineKey is the context key of a deadline.
type deadlineKey struct{}

// WithDeadline returns a context whose calls have the deadline d instead of the built-in
// one. A deadline set by a layer of the book takes precedence.
func WithDeadline(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, deadlineKey{}, d)
}

// deadline returns the time limit for the whole call.
func (x *execution) deadline() time.Duration {
	if own, ok := x.parent.Value(deadlineKey{}).(time.Duration); ok && x.plan.preset {
		return own
	}
	return x.plan.settings.Deadline
}

// ended returns why the context ended, checking the caller first, then a time budget, then
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

// refused returns an error from the policies, with the last failure of run added to it, and
// notes the limit that caused it.
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

// maxLimited is the maximum number of limits noted for one call. minWait is the shortest
// wait that is noted.
const (
	maxLimited = 16
	minWait    = time.Millisecond
)

// note records a limit that held back the call.
func (x *execution) note(outcome agent.Outcome, text string) {
	if len(x.limited) < maxLimited {
		x.limited = append(x.limited, Limited{outcome, text})
	}
}

// noteWait records a wait that a setting caused, unless the wait was shorter than minWait.
func (x *execution) noteWait(how, setting string, took time.Duration) {
	if took >= minWait {
		x.note("", fmt.Sprintf("%s for %s: %s", how, took.Round(time.Millisecond), cmp.Or(x.plan.where(setting), setting)))
	}
}
