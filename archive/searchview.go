package archive

import (
	"context"
	"iter"
	"sync"

	"evolve/bench"
	"evolve/runtime/agent"
)

// SearchView is the part of the archive that a search may read: the variants of one agent,
// the mutations tried, and evaluations of the search tasks for which the view was made. It
// hides evaluations of other splits, stages and tasks, and has no access to proposals,
// results, transcripts or the ledger.
type SearchView struct {
	archive *Archive
	agent   string
	tasks   map[string]bool
	except  string

	once  sync.Once
	tried map[agent.ConfigID]bool
	err   error
}

// SearchView returns the view of an agent's history that is limited to the given search
// tasks.
func (a *Archive) SearchView(agentID string, searchTasks []string) *SearchView {
	tasks := make(map[string]bool, len(searchTasks))
	for _, id := range searchTasks {
		tasks[id] = true
	}
	return &SearchView{archive: a, agent: agentID, tasks: tasks}
}

// Before returns the view without the records of a run, so that when the run is resumed, it
// reads the same records as when it began.
func (v *SearchView) Before(run string) *SearchView {
	return &SearchView{archive: v.archive, agent: v.agent, tasks: v.tasks, except: run}
}

// Tried reports whether a config was tried as a mutation. The mutations are read once, at
// the first call, so that the answers stay the same. After a failed read it returns false,
// and Err returns the error.
func (v *SearchView) Tried(id agent.ConfigID) bool {
	v.once.Do(func() {
		v.tried = make(map[agent.ConfigID]bool)
		for m, err := range v.archive.Mutations(context.Background(), v.agent) {
			if err != nil {
				v.tried, v.err = nil, err
				return
			}
			if v.except == "" || m.Run != v.except {
				v.tried[m.Child] = true
			}
		}
	})
	return v.tried[id]
}

// Err returns the error of Tried, if any.
func (v *SearchView) Err() error { return v.err }

// Variants yields the agent's variants, ordered by number.
func (v *SearchView) Variants(ctx context.Context) iter.Seq2[Variant, error] {
	return func(yield func(Variant, error) bool) {
		for variant, err := range v.archive.Variants(ctx, v.agent) {
			if err == nil && v.except != "" && variant.Run == v.except {
				continue
			}
			if !yield(variant, err) {
				return
			}
		}
	}
}

// Evaluations yields the evaluations of the search tasks from all stored runs, the latest
// run first, and within each run in the order in which they were issued.
func (v *SearchView) Evaluations(ctx context.Context) iter.Seq2[bench.Evaluation, error] {
	return func(yield func(bench.Evaluation, error) bool) {
		for run, err := range v.archive.Runs(ctx) {
			if err != nil {
				yield(bench.Evaluation{}, err)
				return
			}
			if v.except != "" && run.ID == v.except {
				continue
			}
			for e, err := range v.archive.Evaluations(ctx, run.ID, v.agent) {
				if err == nil && !v.shows(&e) {
					continue
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// shows reports whether the view includes an evaluation. The split recorded in the
// evaluation is not sufficient, because the task may have been moved to the holdout since.
func (v *SearchView) shows(e *bench.Evaluation) bool {
	if e.Split != bench.Search || !v.tasks[e.Task] {
		return false
	}
	return e.Stage == bench.StageSearch || e.Stage == bench.StageBaseline || e.Stage == bench.StageAblate
}
