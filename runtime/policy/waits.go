package policy

import (
	"context"
	"sync"
	"time"
)

// Waits sums the time in which the calls of one task waited for shared limits: their
// rate, a permit, a hold. That time is not the task's own. The zero value is ready; it
// is safe for concurrent use.
type Waits struct {
	mu      sync.Mutex
	waiting int
	since   time.Time // when the first of the present waits began
	total   time.Duration
}

type waitsKey struct{}

// WithWaits returns a context whose calls add their waits to w.
func WithWaits(ctx context.Context, w *Waits) context.Context {
	return context.WithValue(ctx, waitsKey{}, w)
}

// waitsOf returns the Waits of ctx, or nil.
func waitsOf(ctx context.Context) *Waits {
	w, _ := ctx.Value(waitsKey{}).(*Waits)
	return w
}

type waitingKey struct{}

// WithWaiting returns a context whose calls wait for a limit, and for the next attempt,
// only until waiting ends: they fail with a *RateLimitedError then. Calls that need not
// wait, and running ones, go on.
func WithWaiting(ctx, waiting context.Context) context.Context {
	return context.WithValue(ctx, waitingKey{}, waiting)
}

// Waiting returns the context that [WithWaiting] gave to ctx, and ctx itself without one.
func Waiting(ctx context.Context) context.Context {
	if waiting, ok := ctx.Value(waitingKey{}).(context.Context); ok {
		return waiting
	}
	return ctx
}

// waitingEnd returns a channel that is closed when the context allows no more waiting;
// nil if it always does.
func waitingEnd(ctx context.Context) <-chan struct{} {
	if waiting, ok := ctx.Value(waitingKey{}).(context.Context); ok {
		return waiting.Done()
	}
	return nil
}

// Total returns the time waited up to now, including present waits. Overlapping waits
// count once.
func (w *Waits) Total(now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting == 0 {
		return w.total
	}
	return w.total + now.Sub(w.since)
}

func (w *Waits) begin(now time.Time) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting++; w.waiting == 1 {
		w.since = now
	}
}

func (w *Waits) end(now time.Time) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting--; w.waiting == 0 {
		w.total += now.Sub(w.since)
	}
}

// add adds a wait that another process measured.
func (w *Waits) add(d time.Duration) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total += d
}
