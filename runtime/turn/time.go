package turn

import (
	"context"
	"sync"
	"time"

	"evolve/runtime/policy"
)

// ownTime returns a context that is cancelled, with the cause DeadlineExceeded, once the
// turn's own time reaches limit. Time during which its calls wait for limits that they
// share with other turns does not count: a queue for a provider has nothing to do with the
// config. Each such wait is limited by the policies of its call.
func ownTime(ctx context.Context, limit time.Duration) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	c := &ownClock{began: time.Now(), limit: limit, end: end}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer = time.AfterFunc(limit, c.check)
	return policy.WithWaits(ctx, &c.waits), func() {
		c.timer.Stop()
		end(nil)
	}
}

// minInterval is the minimum interval between two checks of the clock.
const minInterval = time.Millisecond

// ownClock ends a turn whose own time is used up.
type ownClock struct {
	began time.Time
	limit time.Duration
	waits policy.Waits
	end   context.CancelCauseFunc

	mu    sync.Mutex
	timer *time.Timer
}

// check ends the turn, or sets the timer to the moment when the turn's time would be up
// without further waits.
func (c *ownClock) check() {
	now := time.Now()
	left := c.limit - (now.Sub(c.began) - c.waits.Total(now))
	if left <= 0 {
		c.end(context.DeadlineExceeded)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer.Reset(max(left, minInterval))
}
