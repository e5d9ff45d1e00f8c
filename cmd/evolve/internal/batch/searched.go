package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate/night"
	"evolve/runtime/text"
)

// split identifies a division of suites into search and holdout tasks.
type split struct{ suites, split string }

// searchedBefore finds an agent's holdout tasks that were search tasks in a run with a
// lower number, which happens if a suite was rebuilt, edited or renamed. recorded reports
// whether such a run recorded the search tasks that the agent has now.
//
// An older version of evolve recorded no search tasks; for its runs on other suites,
// searchedBefore uses the task ids in the evaluations.
func searchedBefore(ctx context.Context, store *archive.Archive, a *night.Agent, number int) (seen map[string]bool, recorded bool, err error) {
	sample := a.Sample()
	now := split{sample.Hash, sample.SplitHash}
	asks := map[string]string{} // ids of tasks, by what the task asks
	ids := map[string]bool{}
	for _, t := range sample.Holdout {
		asks[t.Asks()], ids[t.ID] = t.ID, true
	}
	seen = map[string]bool{}
	var older []archive.AgentPlan
	known := map[split]bool{now: true}
	for run, err := range store.Runs(ctx) {
		if err != nil {
			return nil, false, fmt.Errorf("reading what earlier nights searched: %w", err)
		}
		if run.Number >= number || !slices.Contains(run.Agents, a.ID) {
			continue
		}
		p, err := store.Plan(ctx, run.ID, a.ID)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, false, fmt.Errorf("reading what earlier nights searched: %w", err)
		}
		of := split{p.SuiteHash, p.SplitHash}
		if len(p.Searched) == 0 {
			older = append(older, p)
			continue
		}
		known[of], recorded = true, recorded || of == now
		for _, asked := range p.Searched {
			if id, ok := asks[asked]; ok {
				seen[id] = true
			}
		}
	}
	for _, p := range older {
		if known[split{p.SuiteHash, p.SplitHash}] || len(ids) == 0 {
			continue
		}
		for e, err := range store.Evaluations(ctx, p.Run, a.ID) {
			if err != nil {
				return nil, false, fmt.Errorf("reading what earlier nights searched: %w", err)
			}
			if e.Split == bench.Search && ids[e.Task] {
				seen[e.Task] = true
			}
		}
	}
	return seen, recorded, nil
}

// SearchedHint is the hint about holdout tasks that were searched before.
const SearchedHint = `assign these tasks to the search split, and new tasks to the holdout split`

// SearchedWords describes the n holdout tasks that are excluded from a confirmation because
// the search of an earlier night used them.
func SearchedWords(n int) string {
	return fmt.Sprintf("%s left out of the confirmation: a search on an earlier night used %s", text.Count(n, "holdout task"), map[bool]string{true: "it", false: "them"}[n == 1])
}

// leaveOutSearched removes from an agent's sample the holdout tasks that were searched
// before, adds a warning, and notes what the agent's search has to record.
func (r *runner) leaveOutSearched(ctx context.Context, at, number int) error {
	a := &r.specs[at].Agent
	seen, recorded, err := searchedBefore(ctx, r.o.Archive, a, number)
	if err != nil {
		return err
	}
	if a.Searched = seen; len(seen) > 0 {
		r.specs[at].Cautions = append(r.specs[at].Cautions, SearchedWords(len(seen))+"; "+SearchedHint)
	}
	r.unrecorded[at] = nil
	if !recorded {
		for _, t := range a.Sample().Search {
			r.unrecorded[at] = append(r.unrecorded[at], t.Asks())
		}
		slices.Sort(r.unrecorded[at])
	}
	return nil
}
