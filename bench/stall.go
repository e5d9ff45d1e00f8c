package bench

import (
	"context"
	"sync"
	"time"
)

const (
	// beatEvery is the time between two beats.
	beatEvery = 250 * time.Millisecond
	// leastGap is the longest time between two beats that is attributed to a busy machine
	// and does not count as a pause.
	leastGap = 2 * beatEvery
	// longPause is the minimum length of a pause that invalidates everything under way,
	// because time limits of tools and models also elapsed during the pause.
	longPause = 2 * time.Second
)

// StallDetector measures the time for which this process did not run because a signal
// stopped it or the machine was suspended. It measures the time between beats both by the
// monotonic clock, which continues while the process is stopped, and by the wall clock,
// which also continues while the machine is suspended. It is safe for concurrent use.
type StallDetector struct {
	now func() time.Time

	mu   sync.Mutex
	last time.Time
	lost time.Duration
}

// NewStallDetector returns a detector whose first beat is now.
func NewStallDetector(now func() time.Time) *StallDetector {
	return &StallDetector{now: now, last: now()}
}

// Run measures pauses until the context ends.
func (h *StallDetector) Run(ctx context.Context) {
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

// Lost measures and returns the total time of all pauses so far, including one that just
// ended.
func (h *StallDetector) Lost() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	// The monotonic clock may not advance while the machine is suspended.
	gap := max(now.Sub(h.last), now.Round(0).Sub(h.last.Round(0)))
	h.last = now
	if gap > leastGap {
		h.lost += gap - beatEvery
	}
	return h.lost
}
