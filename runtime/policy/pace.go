package policy

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/ratelimiter"
)

// pace lets calls through at an even rate. failsafe-go's limiter gives slots to the first
// callers, as far ahead as they ask, so that one agent with many calls would hold all
// slots. Therefore only one call at a time may ask for a slot, and the agents whose calls
// wait for this take turns.
//
// The limiter's slots lie on a grid: two calls may come closer than the interval, but in
// any stretch of time there is at most one too many. A call that gives up leaves its slot
// unused.
type pace struct {
	interval time.Duration
	limiter  ratelimiter.RateLimiter[any]
	turn     queue

	mu   sync.Mutex
	next time.Time // the next call's slot is no later than this
}

func newPace(calls int, per time.Duration) *pace {
	return &pace{interval: per / time.Duration(calls), limiter: ratelimiter.NewSmooth[any](uint(calls), per)}
}

// waitLimit is the longest time that a call may wait: the setting, where zero is no
// bound, or the deadline of the call if that comes first.
type waitLimit struct {
	until time.Time
	timer time.Duration // 0: the deadline will end the wait
}

func limitWait(ctx context.Context, wait time.Duration) waitLimit {
	now := time.Now()
	deadline, ok := ctx.Deadline()
	if wait > 0 && (!ok || now.Add(wait).Before(deadline)) {
		return waitLimit{now.Add(wait), wait}
	}
	return waitLimit{deadline.Add(-1), 0} // a slot at the deadline comes too late
}

// wait returns when the call has its slot, or a *RateLimitedError as soon as it is
// clear that there is none in time, and the time it waited, which it adds to bound.
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

// hint returns the time until a slot is free, if no call waits.
func (p *pace) hint() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(time.Until(p.next), 0)
}

// gate is shut while the other side asks not to be called.
type gate struct {
	mu    sync.Mutex
	until time.Time
}

// maxHold bounds how long one answer of the other side can hold back all calls.
const maxHold = 24 * time.Hour

// shut holds back calls for d.
func (g *gate) shut(d time.Duration) {
	until := time.Now().Add(min(d, maxHold))
	g.mu.Lock()
	defer g.mu.Unlock()
	if until.After(g.until) {
		g.until = until
	}
}

// left returns the time for which the gate stays shut.
func (g *gate) left() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.until.IsZero() {
		return 0
	}
	return max(time.Until(g.until), 0)
}

// wait returns when the gate is open, or a *RateLimitedError as soon as it is clear
// that it stays shut for too long, and the time it waited, which it adds to bound.
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

// sleep waits for d and returns the time it slept, which it adds to bound unless that is nil.
// Its error is errQueueWait when the context allows no more waiting ([WithWaiting]), or ctx's.
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
