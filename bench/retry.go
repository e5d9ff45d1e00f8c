package bench

import (
	"context"
	"time"

	"evolve/runtime/agent"
)

// retry waits after an infrastructure failure in attempt number try, and reports whether
// to try again.
func (h *Harness) retry(ctx context.Context, job Job, try int, why string, after time.Duration) (bool, error) {
	probe, of := h.probe(job.Task), cell{job.Variant, job.Task.ID}
	if _, known := h.missed.Load(of); known && probe != nil { // the variant failed on this task before, and other evaluations succeed
		try = h.breaker.p.Attempts
	}
	more, err := h.breaker.Infrastructure(ctx, try, why, after, probe)
	if err == nil && !more {
		h.missed.Store(of, true)
	}
	return more, err
}

// mostPaused is the maximum number of times that an evaluation is repeated, in addition to
// its attempts, because this process was stopped.
const mostPaused = 5

// lost returns the time for which this process has been stopped so far.
func (h *Harness) lost() time.Duration {
	if h.set.Lost == nil {
		return 0
	}
	return h.set.Lost()
}

// invalidated reports whether an evaluation is invalid because this process was stopped
// during it: for longPause or more, or, after a timeout, for more than a tenth of its
// latency.
func invalidated(e Evaluation, lost time.Duration) bool {
	return lost >= longPause || lost > 0 && e.Outcome == agent.Timeout && lost > e.Latency/10
}
