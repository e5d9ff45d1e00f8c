package batch

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"evolve/bench"
	"evolve/mutate/night"
)

// TestCut checks that an archive is not taken for broken where the end of the context kept a
// record from being stored, and that it is otherwise.
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
