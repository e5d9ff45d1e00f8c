package bench

import "context"

// Attempt identifies an attempt at an evaluation within the run of one agent.
type Attempt struct {
	// Seq is the Seq of the evaluation; a resumed run gives the same evaluation the same
	// Seq.
	Seq int64
	// Try counts the attempts of this process, from 1.
	Try int
}

type attemptKey struct{}

// AttemptOf returns the attempt to which a context belongs, and reports whether there is
// one. A harness attaches the attempt to the context that it passes to the agent.
func AttemptOf(ctx context.Context) (Attempt, bool) {
	a, ok := ctx.Value(attemptKey{}).(Attempt)
	return a, ok
}

// WithAttempt returns a context that belongs to an attempt.
func WithAttempt(ctx context.Context, a Attempt) context.Context {
	return context.WithValue(ctx, attemptKey{}, a)
}
