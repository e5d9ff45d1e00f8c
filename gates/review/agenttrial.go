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

// TrialSpec holds the parameters for preparing an agent with its program from each of two
// trees.
type TrialSpec struct {
	Agent string
	// Top is the root of the working tree that contains the agent's folder. Base and
	// Candidate are the exported trees, each of which takes the place of that working tree
	// on its side.
	Top, Base, Candidate string
	// Scratch is the absolute path of a folder for working directories.
	Scratch string
	// Seed is the random seed; both sides use the same one.
	Seed int64
	// Budget is the budget that both sides share. If it is nil, the settings' limit for a
	// run applies.
	Budget *bench.Budget
}

// AgentTrial is an agent prepared twice: once with its program from the base, and once with
// its program from the candidate.
type AgentTrial struct {
	// Config is the config of the champion. Patched is the config in the candidate's
	// tree; it equals Config unless the patch changes the config.
	Config, Patched agent.Config
	// Tasks are all search tasks of the agent. Patches are not tried on holdout tasks.
	Tasks []*bench.Task
	// Base and Candidate evaluate the two sides. They store no results, and they share one
	// budget.
	Base, Candidate *bench.Harness
	// Parallel limits the number of tasks evaluated at once; it is at least 1.
	Parallel int
	// Folder is the path of the agent's folder, slash-separated and relative to the
	// repository's root.
	Folder string
	Close  func() error
}

// tried is the result of a trial of both programs.
type tried struct {
	pairs []stats.Pair
	// planned counts the tasks to compare.
	planned int
	// faults counts how often the program ended unexpectedly or violated its protocol,
	// for the base and for the candidate. said holds the first such error on each side.
	faults [2]int
	said   [2]string
	usd    float64
	// short reports whether the budget ran out before all tasks were evaluated.
	short bool
}

// run evaluates both sides once on the same tasks. The tree determines which tasks are
// used, at most the given number (most), and their order. The side that goes first
// alternates from task to task. The result includes the cost even if there is an error.
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

// take adds the evaluations of one task, on both sides, to the result.
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

// drawn returns at most n tasks, chosen and ordered by a hash of the tree: a patch cannot
// be tuned to a fixed subset, and the same tree always gets the same tasks.
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
