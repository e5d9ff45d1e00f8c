package night

import (
	"context"
	"math/rand/v2"
	"sync"

	"github.com/sourcegraph/conc/pool"

	"evolve/bench"
)

// batch evaluates a fixed list of jobs and returns their evaluations by index; evaluations
// that were not made are zero. It issues the jobs in an order drawn from the run's seed and
// the position of the first job. The two jobs of a pair are therefore not adjacent, so an
// agent cannot infer that it is being confirmed, and drift favours neither job. batch stops
// issuing at the first error, which it returns. before is the number of evaluations that
// the stage made before these, and planned is the planned number.
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
		if first == nil && n.Drain.Err() != nil {
			first = ErrInterrupted
		}
		return first
	}
	var place uint64
	if len(jobs) > 0 {
		place = uint64(jobs[0].Seq)
	}
	order := rand.New(rand.NewPCG(uint64(n.Run.Seed), place)).Perm(len(jobs))
	workers := pool.New().WithMaxGoroutines(n.parallel())
	for _, i := range order {
		job := jobs[i]
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

// renew restarts the agent's programs without their state between stages, because state
// from an earlier stage would reveal to them that another stage has begun.
func (n *night) renew() {
	if n.opened.Renew == nil {
		return
	}
	if err := n.opened.Renew(); err != nil {
		n.Log.Warn("the agent could not be reset", "agent", n.Agent.ID, "error", err)
	}
}

// report reports progress.
func (n *night) report(p Progress) {
	if n.Progress == nil {
		return
	}
	p.Run, p.Agent, p.SpentUSD = n.Run.ID, n.Agent.ID, n.Budget.Total()
	n.Progress(p)
}
