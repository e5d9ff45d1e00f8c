package hub

import (
	"context"
	"errors"

	"evolve/runtime/policy"
)

// errUnbegun reports that a job was withdrawn before a worker began it, because no more
// evaluations may begin.
var errUnbegun = errors.New("the task was withdrawn before any worker began it")

// untilDrained returns a context that ends with ctx, or with errUnbegun once no more
// evaluations may begin. The flag later means that the request is not the first of its
// evaluation; such a request is still made.
func untilDrained(ctx context.Context, later bool) (context.Context, context.CancelFunc) {
	both, end := context.WithCancelCause(ctx)
	if later {
		return both, func() { end(nil) }
	}
	waiting := policy.Waiting(ctx)
	if waiting.Err() != nil {
		end(errUnbegun) // at once, whereas AfterFunc would end the context a moment later
	}
	undo := context.AfterFunc(waiting, func() { end(errUnbegun) })
	return both, func() { undo(); end(nil) }
}

// drainedOr returns errUnbegun if that error has ended a context from [untilDrained], and
// err otherwise.
func drainedOr(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errUnbegun) {
		return errUnbegun
	}
	return err
}

// withdraw removes a job from the queue unless the job was given to a worker, and reports
// whether it removed the job. The queue gives out jobs in order, so no worker has a job
// after the last one that was given out.
func (r *Remote) withdraw(ctx context.Context, id string, name jobName, p *pending) bool {
	if p.later || p.removed || r.given(ctx, p) {
		return false
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), requestTime)
	defer stop()
	r.mu.Lock()
	at, work := p.at, r.work
	r.mu.Unlock()
	if err := work.DeleteMsg(ctx, at); err != nil {
		return false
	}
	if r.given(ctx, p) { // a worker got the job just before it was removed
		r.mu.Lock()
		p.removed = true
		r.mu.Unlock()
		return false
	}
	r.release(id, name)
	return true
}

// given reports whether the queue has given a job to a worker. It returns true if that
// cannot be determined.
func (r *Remote) given(ctx context.Context, p *pending) bool {
	ctx, stop := context.WithTimeout(ctx, requestTime)
	defer stop()
	r.mu.Lock()
	at, work, queue := p.at, r.work, r.offer.Queue
	r.mu.Unlock()
	c, err := work.Consumer(ctx, queue)
	return err != nil || at <= c.CachedInfo().Delivered.Stream
}

// abandon withdraws a job that was given to a worker if no worker serves the agent any
// more. It reports whether it withdrew the job.
func (r *Remote) abandon(id string, name jobName, p *pending) bool {
	r.mu.Lock()
	served := r.served()
	r.mu.Unlock()
	if served > 0 {
		return false
	}
	r.cancel(id, p)
	r.release(id, name)
	return true
}

// release stops waiting for the answer to a job. If the answer still arrives, it is left
// for the run's next process.
func (r *Remote) release(id string, name jobName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.waiting, id)
	r.issued.unset(name.seq)
}
