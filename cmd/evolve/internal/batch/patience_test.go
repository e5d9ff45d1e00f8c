package batch

import (
	"context"
	"testing"
	"time"

	"evolve/mutate/night"
	"evolve/runtime/agent"
)

// endless is an agent whose evaluations end only when their context does. begun is closed
// when an evaluation has begun.
type endless struct{ begun chan struct{} }

func (e endless) Run(ctx context.Context, _ agent.Request) agent.Result {
	close(e.begun)
	<-ctx.Done()
	return agent.Result{Outcome: agent.Cancelled, Error: context.Cause(ctx).Error()}
}

// TestPatience checks that an evaluation of code that is in progress at the first
// interrupt ends when the patience for it is over, and not before.
func TestPatience(t *testing.T) {
	t.Parallel()
	drain, interrupt := context.WithCancelCause(t.Context())
	asked, over := make(chan time.Duration), make(chan error)
	p := patient{endless{make(chan struct{})}, drain, func(_ context.Context, d time.Duration) error {
		asked <- d
		return <-over
	}}
	ended := make(chan agent.Result)
	go func() { ended <- p.Run(t.Context(), agent.Request{}) }()
	<-p.Agent.(endless).begun
	interrupt(night.ErrInterrupted)
	if d := <-asked; d != patience {
		t.Errorf("it goes on for %s", d)
	}
	select {
	case r := <-ended:
		t.Fatalf("it ended at once: %+v", r)
	default:
	}
	over <- nil
	if r := <-ended; r.Outcome != agent.Cancelled || r.Error != night.ErrInterrupted.Error() {
		t.Errorf("it ended with %+v", r)
	}
}

// TestPatienceIsCalm checks that without an interrupt, an evaluation ends by itself and
// the wait that follows an interrupt does not begin.
func TestPatienceIsCalm(t *testing.T) {
	t.Parallel()
	p := patient{toyAgent(3), t.Context(), func(context.Context, time.Duration) error {
		t.Error("it waits for an interrupt")
		return nil
	}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.Run(ctx, agent.Request{})
}
