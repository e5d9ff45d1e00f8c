package policy

import (
	"context"
	"sync"
	"time"
)

// Waits sums the time that the calls of one task waited for shared limits: for their rate
// limit, a permit or a hold. This time does not count as the task's own. The zero value is
// ready to use. Waits is safe for concurrent use.
type Waits struct {
	mu      sync.Mutex
	waiting int
	since   time.Time // when the first of the current waits began
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

// WithWaiting returns a context whose calls may wait for a limit, or for the next
// attempt, only until the given context (waiting) ends; then they fail with a
// *RateLimitedError. Running calls, and calls that do not have to wait, continue.
func WithWaiting(ctx, waiting context.Context) context.Context {
	return context.WithValue(ctx, waitingKey{}, waiting)
}

// Waiting returns the context that [WithWaiting] attached to ctx, or ctx itself if there is
// none.
func Waiting(ctx context.Context) context.Context {
	if waiting, ok := ctx.Value(waitingKey{}).(context.Context); ok {
		return waiting
	}
	return ctx
}

// waitingEnd returns a channel that is closed once the context does not allow further
// waiting, or nil if the context does not limit waiting.
func waitingEnd(ctx context.Context) <-chan struct{} {
	if waiting, ok := ctx.Value(waitingKey{}).(context.Context); ok {
		return waiting.Done()
	}
	return nil
}

// Total returns the time waited until now, including current waits. Overlapping waits count
// once.
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

// add adds a waiting time that another process measured.
func (w *Waits) add(d time.Duration) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total += d
}
