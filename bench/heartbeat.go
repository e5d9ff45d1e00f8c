package bench

import (
	"context"
	"sync"
	"time"
)

const (
	// beatEvery is the time between two beats.
	beatEvery = 250 * time.Millisecond
	// leastGap is the shortest time between two beats that counts as a pause: what is
	// shorter is a busy machine.
	leastGap = 2 * beatEvery
	// longPause is a pause after which nothing that was under way counts: within it, time
	// limits of tools and models passed as well.
	longPause = 2 * time.Second
)

// Heartbeat finds out when this process itself stood still: it was stopped by a signal,
// or the machine was suspended. A beat that comes far too late tells, by the clock that
// runs on while the process is stopped and by the one that runs on while the machine is
// suspended. It is safe for concurrent use.
type Heartbeat struct {
	now func() time.Time

	mu   sync.Mutex
	last time.Time
	lost time.Duration
}

// NewHeartbeat makes a heartbeat whose first beat is now.
func NewHeartbeat(now func() time.Time) *Heartbeat { return &Heartbeat{now: now, last: now()} }

// Run beats until the context ends.
func (h *Heartbeat) Run(ctx context.Context) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			h.Lost()
		case <-ctx.Done():
			return
		}
	}
}

// Lost beats, and returns the time that was lost in pauses so far, one that has just
// ended included.
func (h *Heartbeat) Lost() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	// The monotonic clock may stand still while the machine is suspended.
	gap := max(now.Sub(h.last), now.Round(0).Sub(h.last.Round(0)))
	h.last = now
	if gap > leastGap {
		h.lost += gap - beatEvery
	}
	return h.lost
}
