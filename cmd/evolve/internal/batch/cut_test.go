package batch

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
)

// TestCut checks that an archive does not count as broken if a record was not stored
// because the context had ended, and that it does count as broken otherwise.
func TestCut(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	stored := fmt.Errorf("%w: recording a variant: %w", bench.ErrRecorder, context.Canceled)
	full := fmt.Errorf("%w: no space left", bench.ErrRecorder)
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want error
	}{
		{ended, stored, night.ErrInterrupted},
		{t.Context(), stored, stored},
		{ended, full, full},
		{ended, nil, nil},
	} {
		if got := cut(c.ctx, c.err); !errors.Is(got, c.want) || errors.Is(got, bench.ErrRecorder) != errors.Is(c.want, bench.ErrRecorder) {
			t.Errorf("%v became %v", c.err, got)
		}
	}
}

// TestInterruptAtAnyTime ends the context of a night at each reading of the clock in turn.
// A reading comes before each record. Every such run must be interrupted, and none may have
// a broken archive.
func TestInterruptAtAnyTime(t *testing.T) {
	interrupted := 0
	for after := int64(1); ; after++ {
		ctx, cancel := context.WithCancel(t.Context())
		o := toyOptions(toyWorkspace(t, 10), archive.OpenMemory(), toyAgent(10), 30)
		o.Concurrency, o.Lookahead = 1, 1
		var opened atomic.Bool
		var readings atomic.Int64
		open := o.Open
		o.Open = func(ctx context.Context, w *workspace.Agent, scratch string) (night.Opened, error) {
			opened.Store(true)
			return open(ctx, w, scratch)
		}
		o.Now = func() time.Time {
			if opened.Load() && readings.Add(1) == after {
				cancel()
			}
			return time.Now()
		}
		s, err := Run(ctx, o)
		cancel()
		if err != nil || s.Run.State == archive.RunFailed {
			t.Fatalf("ended at reading %d, the run is %s: %v", after, s.Run.State, err)
		}
		if s.Run.State == archive.RunInterrupted {
			interrupted++
		}
		if readings.Load() < after {
			break
		}
	}
	if interrupted < 30 {
		t.Errorf("%d runs were interrupted", interrupted)
	}
}
