package bench

import (
	"context"
	"errors"
)

// SpentError means that a budget of the policies is spent and gives nothing back in this
// run: an agent that needs what the budget pays for can do no more evaluations in it.
// It wraps ErrBudget. Unlike the run's own budget, whose stages each have a share, it
// holds for every stage that follows.
type SpentError struct {
	// Policy names the budget and whose it is.
	Policy string
}

func (e *SpentError) Error() string { return "a budget under policies is spent: " + e.Policy }

// Unwrap returns ErrBudget.
func (e *SpentError) Unwrap() error { return ErrBudget }

// WaitedError means that the time for evaluations was over while one of them waited for a
// limit under policies. It wraps ErrBudget.
type WaitedError struct {
	// Policy names the limit and whose it is.
	Policy string
}

func (e *WaitedError) Error() string {
	return "the time was over while evaluations waited for a limit under policies: " + e.Policy
}

// Unwrap returns ErrBudget.
func (e *WaitedError) Unwrap() error { return ErrBudget }

// cutShort names the limit in the error of a wait that the end of the time cut short.
func (h *Harness) cutShort(err error) error {
	if by := h.limitedBy.Load(); by != nil && errors.Is(err, ErrBudget) {
		return &WaitedError{Policy: *by}
	}
	return err
}

// waiting is the context of all that an evaluation may wait for before and between its
// attempts. It ends with ctx, when the run is drained, and when the time is over in which
// evaluations may begin: its cause says which.
func (h *Harness) waiting(ctx context.Context) (context.Context, context.CancelFunc) {
	parent := ctx
	ctx, end := context.WithCancelCause(parent)
	undo := func() bool { return true }
	if drain := h.set.Drain; drain != nil && drain.Done() != nil {
		undo = context.AfterFunc(drain, func() { end(context.Cause(drain)) })
	}
	cancel := func() { undo(); end(nil) }
	left, bounded := h.budget.Left()
	if !bounded {
		return ctx, cancel
	}
	timed, stop := context.WithTimeoutCause(ctx, left, ErrBudget)
	return timed, func() { stop(); cancel() }
}
