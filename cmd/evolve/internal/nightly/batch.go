package nightly

import (
	"context"
	"sync"

	"github.com/sourcegraph/conc/pool"

	"evolve/bench"
)

// batch evaluates a fixed list of jobs, in order of the list as far as the
// concurrency allows, and returns their evaluations by index; those that were not
// made are zero. It stops issuing at the first error, which it returns. Before them the
// stage had before evaluations, of those that are planned.
func (n *night) batch(ctx context.Context, stage string, jobs []bench.Job, before, planned int) ([]bench.Evaluation, error) {
	out := make([]bench.Evaluation, len(jobs))
	var (
		mu    sync.Mutex
		first error
		done  int
	)
	failed := func() error {
		mu.Lock()
		defer mu.Unlock()
		if first == nil && n.o.Drain.Err() != nil {
			first = ErrInterrupted
		}
		return first
	}
	workers := pool.New().WithMaxGoroutines(n.parallel())
	for i, job := range jobs {
		if failed() != nil {
			break
		}
		workers.Go(func() {
			if failed() != nil {
				return
			}
			e, err := n.evaluate(ctx, job)
			mu.Lock()
			defer mu.Unlock()
			if err != nil && first == nil {
				first = err
			}
			if err == nil || e.Scored {
				out[i] = e
				done++
				if !e.Scored {
					n.result.Infrastructure++
				}
			}
			n.report(Progress{Stage: stage, Done: before + done, Planned: planned})
		})
	}
	workers.Wait()
	return out, first
}

// report passes progress on.
func (n *night) report(p Progress) {
	if n.o.Progress == nil {
		return
	}
	p.Run, p.Agent, p.SpentUSD = n.run.ID, n.agent.ID, n.budget.Spent()
	n.o.Progress(p)
}
