package night

import (
	"context"
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/confirm"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

const (
	// variedNights is the maximum number of runs from which variances are estimated.
	variedNights = 30
	// variedRuns is the number of evaluations of the champion that suffices for the
	// estimate.
	variedRuns = 2000
)

// EstimateVariances estimates an agent's variances from earlier runs on the same suites;
// these are the runs with a lower number than the given number. It uses the champion's
// repeats on search tasks, including the champion's rerun against itself, and the latest
// ruling on each candidate.
func EstimateVariances(ctx context.Context, store *archive.Archive, a *Agent, number int) (stats.Variances, error) {
	tasks, fixed, champion := a.Sample(), a.Fixed(), a.Champion.ID()
	var rulings []stats.Ruling
	judged, rows := map[agent.ConfigID]bool{}, newRepeats()
	looked := 0
	for run, err := range store.Runs(ctx) {
		if err != nil {
			return stats.Variances{}, fmt.Errorf("estimating the variances: %w", err)
		}
		if run.Number >= number {
			continue
		}
		if looked++; looked > variedNights {
			break
		}
		plan, err := store.Plan(ctx, run.ID, a.ID)
		if errors.Is(err, archive.ErrNotFound) || err == nil && (plan.SuiteHash != tasks.Hash || plan.SplitHash != tasks.SplitHash) {
			continue
		}
		if err != nil {
			return stats.Variances{}, fmt.Errorf("estimating the variances: %w", err)
		}
		result, err := store.Result(ctx, run.ID, a.ID)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return stats.Variances{}, fmt.Errorf("estimating the variances: %w", err)
		}
		for _, f := range result.Finalist {
			if f.Ruling != nil && !judged[f.Variant] {
				judged[f.Variant] = true
				rulings = append(rulings, *f.Ruling)
			}
		}
		if fixed || rows.count >= variedRuns {
			continue
		}
		for e, err := range store.Evaluations(ctx, run.ID, a.ID) {
			if err != nil {
				return stats.Variances{}, fmt.Errorf("estimating the variances: %w", err)
			}
			if e.Variant == champion && e.Split == bench.Search && rows.count < variedRuns {
				rows.add(&e)
			}
		}
	}
	v := stats.NewVariances(rows.rows, rulings, fixed)
	v.Graded = confirm.Graded(tasks.Holdout)
	return v, nil
}

// repeats holds the scores of one variant by task. An evaluation that several runs refer to
// counts once.
type repeats struct {
	at    map[string]int
	rows  [][]float64
	seen  map[bench.Key]bool
	count int
}

func newRepeats() *repeats { return &repeats{at: map[string]int{}, seen: map[bench.Key]bool{}} }

func (r *repeats) add(e *bench.Evaluation) {
	if !e.Scored || r.seen[e.Key] {
		return
	}
	r.seen[e.Key] = e.Key != ""
	i, ok := r.at[e.Task]
	if !ok {
		i = len(r.rows)
		r.at[e.Task] = i
		r.rows = append(r.rows, nil)
	}
	r.rows[i] = append(r.rows[i], e.Score)
	r.count++
}
