package bench

import (
	"context"

	"evolve/runtime/agent"
)

// cell is a pair of a config and a task.
type cell struct {
	variant agent.ConfigID
	task    string
}

// note records a job if it is the champion's and was answered, so that a probe can repeat
// it.
func (h *Harness) note(job Job, e Evaluation) {
	if e.Scored && e.Outcome.Gradable() && job.Variant == h.breaker.champion {
		h.answered.Store(job.Task.ID, job)
		h.latest.Store(&job)
	}
}

// probe returns a function with which the breaker repeats a job that the champion
// answered before: a job for the given task or, failing that, the champion's latest job.
// It returns nil if there is no such job. The repeat is paid for and not recorded.
func (h *Harness) probe(at *Task) func(context.Context) (bool, error) {
	job := h.latest.Load()
	if job == nil {
		return nil
	}
	if same, ok := h.answered.Load(at.ID); ok {
		again, _ := same.(Job)
		job = &again
	}
	return func(ctx context.Context) (bool, error) {
		ticket, err := h.budget.Reserve(ctx)
		if err != nil {
			return false, err
		}
		start, lost := h.now(), h.lost()
		e, _ := h.once(ctx, *job, h.seed(job.Task.ID, job.Repeat))
		ticket.Settle(e.Paid(), max(h.now().Sub(start)-(h.lost()-lost), 0))
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		return e.Scored && e.Outcome.Gradable(), nil
	}
}
