package policy

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/ratelimiter"
)

// pace lets calls through at an even rate. failsafe-go's limiter gives out slots in the
// order of the requests, no matter how far in advance, so an agent with many calls would
// hold all slots. Therefore only one call at a time may request a slot, and agents with
// waiting calls take turns.
//
// The limiter's slots lie on a grid: two calls may be closer together than the interval,
// but any period contains at most one call too many. A call that gives up leaves its slot
// unused.
type pace struct {
	interval time.Duration
	limiter  ratelimiter.RateLimiter[any]
	turn     queue

	mu   sync.Mutex
	next time.Time // the latest time of the next call's slot
}

func newPace(calls int, per time.Duration) *pace {
	return &pace{interval: per / time.Duration(calls), limiter: ratelimiter.NewSmooth[any](uint(calls), per)}
}

// waitLimit limits how long a call may wait: until the wait that the setting allows has
// passed (zero means no limit), or until the call's deadline if that comes first.
type waitLimit struct {
	until time.Time
	timer time.Duration // the wait that the setting allows; 0 if the deadline ends the wait
}

func limitWait(ctx context.Context, wait time.Duration) waitLimit {
	now := time.Now()
	deadline, ok := ctx.Deadline()
	if wait > 0 && (!ok || now.Add(wait).Before(deadline)) {
		return waitLimit{now.Add(wait), wait}
	}
	return waitLimit{deadline.Add(-1), 0} // a slot at the deadline comes too late
}

// wait waits for the call's slot. It returns a *RateLimitedError as soon as it is clear
// that no slot will be free in time. It returns the time that it waited, and also adds
// that time to bound.
func (p *pace) wait(ctx context.Context, agent string, waitLimit waitLimit, bound *Waits) (time.Duration, error) {
	queued, err := p.turn.acquire(ctx, agent, 1, waitLimit.timer, bound)
	switch {
	case errors.Is(err, errQueueWait):
		return queued, &RateLimitedError{RetryAfter: p.hint(), setting: rateSetting}
	case err != nil:
		return queued, err
	}
	defer p.turn.release()
	now := time.Now()
	slot := p.limiter.TryReservePermit(max(waitLimit.until.Sub(now), 0))
	if slot < 0 {
		return queued, &RateLimitedError{RetryAfter: p.hint(), setting: rateSetting}
	}
	p.mu.Lock()
	p.next = now.Add(slot + p.interval)
	p.mu.Unlock()
	slept, err := sleep(ctx, slot, bound)
	if errors.Is(err, errQueueWait) { // the slot stays unused
		err = &RateLimitedError{RetryAfter: p.hint(), setting: rateSetting}
	}
	return queued + slept, err
}

// hint returns the time until the next slot is free, provided that no calls are waiting.
func (p *pace) hint() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(time.Until(p.next), 0)
}

// gate holds back calls while it is shut, because the remote service requested a pause.
type gate struct {
	mu    sync.Mutex
	until time.Time
}

// maxHold limits how long one answer from the remote service can hold back all calls.
const maxHold = 24 * time.Hour

// shut holds back calls for d, but at most for maxHold. It does not shorten an earlier
// hold.
func (g *gate) shut(d time.Duration) {
	until := time.Now().Add(min(d, maxHold))
	g.mu.Lock()
	defer g.mu.Unlock()
	if until.After(g.until) {
		g.until = until
	}
}

// left returns how much longer the gate stays shut.
func (g *gate) left() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.until.IsZero() {
		return 0
	}
	return max(time.Until(g.until), 0)
}

// wait waits until the gate is open. It returns a *RateLimitedError as soon as it is
// clear that the gate will stay shut for too long. It returns the time that it waited,
// which it also adds to bound.
func (g *gate) wait(ctx context.Context, waitLimit waitLimit, bound *Waits) (waited time.Duration, err error) {
	for {
		left := g.left()
		if left == 0 {
			return waited, nil
		}
		if left > time.Until(waitLimit.until) {
			return waited, &RateLimitedError{RetryAfter: left}
		}
		slept, err := sleep(ctx, left, bound)
		waited += slept
		switch {
		case errors.Is(err, errQueueWait):
			return waited, &RateLimitedError{RetryAfter: g.left()}
		case err != nil:
			return waited, err
		}
	}
}

// sleep waits for d and returns the time that it waited, which it also adds to bound unless
// bound is nil. The error is errQueueWait if the context does not allow further waiting
// (see [WithWaiting]), or ctx's error.
func sleep(ctx context.Context, d time.Duration, bound *Waits) (time.Duration, error) {
	if d <= 0 {
		return 0, ctx.Err()
	}
	began := time.Now()
	bound.begin(began)
	defer func() { bound.end(time.Now()) }()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return time.Since(began), nil
	case <-waitingEnd(ctx):
		return time.Since(began), errQueueWait
	case <-ctx.Done():
		return time.Since(began), ctx.Err()
	}
}
