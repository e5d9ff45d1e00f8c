package nightly

import (
	"context"
	"sync"

	"github.com/sourcegraph/conc/pool"

	"evolve/bench"
	"evolve/bench/stats"
)

// batch evaluates a fixed list of jobs, in order of the list as far as the
// concurrency allows, and returns their evaluations by index; those that were not
// made are zero. It stops issuing at the first error, which it returns.
func (n *night) batch(ctx context.Context, stage string, jobs []bench.Job) ([]bench.Evaluation, error) {
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
			n.report(Progress{Stage: stage, Done: done, Planned: len(jobs)})
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

// pairs gathers the paired scores of one comparison by task.
type pairs struct {
	order []*bench.Task
	by    map[string]*stats.Pair
}

func newPairs(tasks []*bench.Task) *pairs {
	p := &pairs{order: tasks, by: make(map[string]*stats.Pair, len(tasks))}
	for _, t := range tasks {
		p.by[t.ID] = &stats.Pair{Task: t.ID, Domain: t.Domain, Cluster: t.Unit(), Weight: t.Importance()}
	}
	return p
}

// add takes one pair of evaluations of the same task and repeat; missing data on
// either side leaves the pair out.
func (p *pairs) add(a, b bench.Evaluation) {
	pair, ok := p.by[a.Task]
	if !ok || !a.Scored || !b.Scored {
		return
	}
	pair.A = append(pair.A, a.Score)
	pair.B = append(pair.B, b.Score)
}

func (p *pairs) list() []stats.Pair {
	var out []stats.Pair
	for _, t := range p.order {
		if pair := p.by[t.ID]; len(pair.A) > 0 {
			out = append(out, *pair)
		}
	}
	return out
}
