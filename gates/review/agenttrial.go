package review

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"

	"github.com/sourcegraph/conc/pool"

	"evolve/bench"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// TrialSpec holds the parameters for preparing an agent's program from two trees.
type TrialSpec struct {
	Agent string
	// Top is the root of the working tree that contains the agent's folder; Base and
	// Candidate are the exported trees that replace it.
	Top, Base, Candidate string
	// Scratch is an absolute folder for working directories.
	Scratch string
	// Seed is the seed of both sides.
	Seed int64
	// Budget pays for both sides; nil uses the settings' limit for a run.
	Budget *bench.Budget
}

// AgentTrial is an agent prepared twice: with its program from the base, and from the
// candidate.
type AgentTrial struct {
	// Config is the config of the champion, and Patched the config in the candidate's
	// tree: the same unless the patch changes it.
	Config, Patched agent.Config
	// Tasks are all search tasks of the agent; patches are not tried on the holdout.
	Tasks []*bench.Task
	// Base and Candidate store no results, and share one budget.
	Base, Candidate *bench.Harness
	// Parallel bounds the tasks evaluated at once, at least 1.
	Parallel int
	// Folder is the agent's folder, slash-separated and relative to the repository's
	// root.
	Folder string
	Close  func() error
}

// tried is the result of a trial.
type tried struct {
	pairs []stats.Pair
	// planned counts the tasks to compare.
	planned int
	// faults counts, for base and candidate, the times that the program ended or broke
	// its protocol; said holds the first error of each.
	faults [2]int
	said   [2]string
	usd    float64
	// short reports whether the budget ended the trial.
	short bool
}

// run evaluates both sides once on the same tasks, at most most of them, in an order
// drawn by the tree. The side that goes first alternates from task to task. The result
// has the cost also when there is an error.
func (t *AgentTrial) run(ctx context.Context, most int, tree string) (tried, error) {
	tasks := drawn(t.Tasks, most, tree)
	out := tried{planned: len(tasks)}
	results := make([][2]bench.Evaluation, len(tasks))
	var mu sync.Mutex
	workers := pool.New().WithMaxGoroutines(max(1, t.Parallel)).WithContext(ctx).WithCancelOnError().WithFirstError()
	for i, task := range tasks {
		workers.Go(func(ctx context.Context) error {
			for turn := range 2 {
				side := (i + turn) % 2
				h, c := t.Base, t.Config
				if side == 1 {
					h, c = t.Candidate, t.Patched
				}
				e, err := h.Evaluate(ctx, bench.Job{Variant: c.ID(), Config: c, Task: task, Stage: bench.StageBench, Seq: int64(i)})
				if errors.Is(err, bench.ErrBudget) {
					mu.Lock()
					out.short = true
					mu.Unlock()
					return nil
				}
				if err != nil {
					return err
				}
				results[i][side] = e
			}
			return nil
		})
	}
	err := workers.Wait()
	for i, both := range results {
		out.take(tasks[i], both)
	}
	return out, err
}

// take counts the results of both sides on a task.
func (t *tried) take(task *bench.Task, both [2]bench.Evaluation) {
	for side, e := range both {
		t.usd += e.Paid()
		if e.Outcome == agent.Execution || e.Outcome == agent.ContractViolation {
			if t.faults[side]++; t.said[side] == "" {
				t.said[side] = e.Error
			}
		}
	}
	if !both[0].Scored || !both[1].Scored {
		return
	}
	t.pairs = append(t.pairs, stats.Pair{
		Task: task.ID, Domain: task.Domain, Cluster: task.Unit(), Weight: task.Importance(),
		A: []float64{both[0].Score}, B: []float64{both[1].Score},
	})
}

// drawn returns at most n tasks in an order that depends on the tree, so that a patch
// cannot be tuned to a fixed few of them and the same tree always gets the same tasks.
func drawn(tasks []*bench.Task, n int, tree string) []*bench.Task {
	rank := make(map[*bench.Task]string, len(tasks))
	for _, t := range tasks {
		sum := sha256.Sum256([]byte(tree + "\x00" + t.ID))
		rank[t] = string(sum[:])
	}
	out := slices.Clone(tasks)
	slices.SortFunc(out, func(a, b *bench.Task) int { return cmp.Compare(rank[a], rank[b]) })
	return out[:min(n, len(out))]
}
