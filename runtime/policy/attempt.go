package policy

import (
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

// execution is one call on its way through the policies.
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
	last     error // run's own error of an earlier attempt
	budget   *BudgetError
	pause    time.Duration // before the next attempt
	paused   bool          // while in that pause
	own      bool          // err is run's, not the policies'
	observed bool          // the other side's limit was observed already
}

// ending is the result of run.
type ending struct {
	value any
	spent Spent
	err   error
}

// attempt takes one attempt through the policies, in the order given in doc.go.
func (x *execution) attempt(ctx context.Context) (any, error) {
	x.paused, x.own, x.observed = false, false, false
	s := &x.plan.settings
	reserved, err := x.target.spending.reserve(time.Now(), x.call.Agent, s, &x.plan.base, x.call.Estimate)
	if err != nil {
		return nil, x.refused(err)
	}
	tickets, err := x.waitFor(ctx)
	if err != nil {
		reserved.cancel()
		return nil, x.refused(err)
	}
	ctx, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	began := time.Now()
	if err := reserved.begin(began, func(b *BudgetError) { cut(b) }); err != nil {
		x.leave(tickets, neutral, 0)
		x.target.queue.release()
		return nil, x.refused(err)
	}
	x.attempts++
	f := x.start(ctx, reserved)
	end, ended := f.wait(ctx)
	ran := time.Since(began)
	x.target.meter.ran(ran)
	switch {
	case ended && end.err == nil:
		x.leave(tickets, healthy, ran)
	case ctx.Err() != nil:
		end = ending{err: x.overtaken(ctx, end.err, tickets, ran)}
	default:
		x.own = true
		x.leave(tickets, x.judge(end.err), ran)
	}
	// Release the permit only after the breakers have recorded the attempt: the next
	// call in the queue must see their new state.
	if ended || !x.abandon(f) {
		x.target.queue.release()
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
			x.target.queue.release()
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

// waitFor is admit, and counts the time it took as waiting.
func (x *execution) waitFor(ctx context.Context) ([]ticket, error) {
	began := time.Now()
	waits := waitsOf(ctx)
	waits.begin(began)
	tickets, err := x.admit(ctx)
	ended := time.Now()
	waits.end(ended)
	x.waited += ended.Sub(began)
	return tickets, err
}

// admit does all waiting of an attempt. Without an error, the attempt holds a permit
// and a ticket of each breaker.
func (x *execution) admit(ctx context.Context) ([]ticket, error) {
	t, s := x.target, &x.plan.settings
	if t.abandoned.Load() >= maxAbandoned {
		return nil, &CircuitOpenError{} // nothing is known about when one ends
	}
	for _, b := range x.plan.breakers { // now rather than after a wait
		if err := b.refuses(); err != nil {
			return nil, err
		}
	}
	waitLimit := limitWait(ctx, s.RateWait)
	if left := t.gate.left(); left > 0 && left > time.Until(waitLimit.until) {
		return nil, &RateLimitedError{RetryAfter: left}
	}
	if err := t.queue.acquire(ctx, x.call.Agent, x.plan.permits(), limitWait(ctx, s.QueueWait).timer); err != nil {
		if errors.Is(err, errQueueWait) {
			err = &RateLimitedError{setting: concurrencySetting}
		}
		return nil, err
	}
	tickets, err := x.enter(ctx)
	if err != nil {
		t.queue.release()
	}
	return tickets, err
}

// enter waits for the rate and then asks the breakers for tickets, so that their state
// is current.
func (x *execution) enter(ctx context.Context) ([]ticket, error) {
	if err := x.keepPace(ctx); err != nil {
		return nil, err
	}
	var tickets []ticket
	for _, b := range x.plan.breakers {
		k, err := b.enter()
		if err != nil {
			x.leave(tickets, neutral, 0)
			return nil, err
		}
		tickets = append(tickets, k)
	}
	return tickets, nil
}

func (x *execution) keepPace(ctx context.Context) error {
	if len(x.plan.paces) == 0 && x.target.gate.left() == 0 {
		return ctx.Err()
	}
	began := time.Now()
	defer func() { x.target.meter.waited(time.Since(began)) }()
	waitLimit := limitWait(ctx, x.plan.settings.RateWait)
	for _, p := range x.plan.paces {
		if err := x.target.gate.wait(ctx, waitLimit); err != nil {
			return err
		}
		if err := p.wait(ctx, x.call.Agent, waitLimit); err != nil {
			return err
		}
	}
	return x.target.gate.wait(ctx, waitLimit) // it may have shut meanwhile
}

// leave records in the breakers how an attempt ended. There may be fewer tickets than
// breakers, when one of them refused.
func (x *execution) leave(tickets []ticket, v verdict, ran time.Duration) {
	for i, k := range tickets {
		x.plan.breakers[i].leave(k, v, ran)
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
		x.observe(f.RetryAfter, true)
	}
	if f.Outcome == agent.RateLimited || f.Outcome == agent.Cancelled {
		return neutral
	}
	return unhealthy
}

// overtaken returns the error of an attempt whose context ended, while it ran or as it
// returned err. A cancelled attempt shows nothing about the other side, and neither does
// one that had less than half of a breaker's deadline.
func (x *execution) overtaken(ctx context.Context, err error, tickets []ticket, ran time.Duration) error {
	ended := x.ended(ctx)
	var timeout *TimeoutError
	for i, k := range tickets {
		v := neutral
		if b := x.plan.breakers[i]; errors.As(ended, &timeout) && ran >= b.deadline/2 {
			v = unhealthy
		}
		x.plan.breakers[i].leave(k, v, ran)
	}
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		x.last = err
	}
	return x.refused(ended)
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
	return &TimeoutError{Elapsed: time.Since(x.began), Deadline: x.plan.settings.Deadline, Waited: x.waited}
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
	case *BudgetError:
		e.Err = x.last
		x.budget = e
	case *RateLimitedError:
		e.Err = x.last
		e.Policy = x.plan.where(e.setting)
		if !x.observed {
			x.observe(e.RetryAfter, false)
		}
	}
	return err
}

func (x *execution) observe(after time.Duration, remote bool) {
	if x.engine.observe == nil {
		return
	}
	x.engine.observe(RateLimited{
		Kind: x.call.Kind, Name: x.call.Name, Origin: x.call.Origin, Agent: x.call.Agent, ID: x.call.ID,
		RetryAfter: max(after, 0), Remote: remote,
	})
}
