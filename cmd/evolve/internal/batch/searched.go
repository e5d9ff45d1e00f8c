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

// searchedBefore finds the holdout tasks of an agent that were search tasks in a run before
// this number: a suite was rebuilt, edited or renamed. recorded reports whether such a run
// recorded the same search tasks as there are now.
//
// An older evolve recorded none; of its runs on other suites the ids of evaluations count.
func searchedBefore(ctx context.Context, store *archive.Archive, a *night.Agent, number int) (seen map[string]bool, recorded bool, err error) {
	sample := a.Sample()
	now := split{sample.Hash, sample.SplitHash}
	asks := map[string]string{} // id by what it asks
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

// SearchedHint is the hint on holdout tasks that were searched before.
const SearchedHint = `give them the split search, and new tasks the split holdout`

// SearchedWords describes the holdout tasks that take no part in a confirmation.
func SearchedWords(n int) string {
	return fmt.Sprintf("%s left out of the confirmation: a search of an earlier night had %s", text.Count(n, "holdout task"), map[bool]string{true: "it", false: "them"}[n == 1])
}

// leaveOutSearched takes the holdout tasks that were searched before out of an agent's sample,
// with a warning, and notes what its search has to record.
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
