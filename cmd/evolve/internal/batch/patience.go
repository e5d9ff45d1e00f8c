package batch

import (
	"context"
	"time"

	"evolve/mutate/night"
	"evolve/runtime/agent"
)

// patience is how long running evaluations of code may continue after the first interrupt.
// Evaluating a version may take minutes and costs no money, and a resumed run repeats the
// evaluation.
const patience = 10 * time.Second

// patient is an agent whose running evaluations may continue for the duration patience
// after the first interrupt.
type patient struct {
	agent.Agent
	drain context.Context
	sleep func(context.Context, time.Duration) error
}

// Run implements [agent.Agent].
func (p patient) Run(ctx context.Context, req agent.Request) agent.Result {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	stop := context.AfterFunc(p.drain, func() {
		if p.sleep(ctx, patience) == nil {
			end(night.ErrInterrupted)
		}
	})
	defer stop()
	return p.Agent.Run(ctx, req)
}
