package bench

import (
	"context"
	"errors"
)

// SpentError means that a budget of the policies is used up and will not be refilled during
// this run, so an agent that needs it can make no more evaluations. It wraps ErrBudget.
// Unlike the run's own budget, which is divided among the stages, it ends all later stages
// too.
type SpentError struct {
	// Policy names the budget and its owner.
	Policy string
}

func (e *SpentError) Error() string { return "a budget under policies is spent: " + e.Policy }

// Unwrap returns ErrBudget.
func (e *SpentError) Unwrap() error { return ErrBudget }

// WaitedError means that the time for evaluations ended while one of them waited because
// of a limit in the policies. It wraps ErrBudget.
type WaitedError struct {
	// Policy names the limit and its owner.
	Policy string
}

func (e *WaitedError) Error() string {
	return "the time ran out while evaluations waited because of a limit under policies: " + e.Policy
}

// Unwrap returns ErrBudget.
func (e *WaitedError) Unwrap() error { return ErrBudget }

// cutShort adds the name of the limit to the error of a wait that was interrupted because
// the time ended.
func (h *Harness) cutShort(err error) error {
	if by := h.limitedBy.Load(); by != nil && errors.Is(err, ErrBudget) {
		return &WaitedError{Policy: *by}
	}
	return err
}

// waiting returns the context of all waits of an evaluation, before and between its
// attempts. It ends with ctx, when the run is drained, and when no more evaluations may
// start; its cause names the reason.
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
