package bench

import "context"

// Attempt names an attempt of an evaluation within the run of one agent.
type Attempt struct {
	// Seq is the evaluation's; a resumed run gives the same one to the same evaluation.
	Seq int64
	// Try counts the attempts of this process, from 1.
	Try int
}

type attemptKey struct{}

// AttemptOf returns the attempt that a context belongs to, and reports whether there is one.
// A harness sets it for the agent.
func AttemptOf(ctx context.Context) (Attempt, bool) {
	a, ok := ctx.Value(attemptKey{}).(Attempt)
	return a, ok
}

// WithAttempt returns a context that belongs to an attempt.
func WithAttempt(ctx context.Context, a Attempt) context.Context {
	return context.WithValue(ctx, attemptKey{}, a)
}
