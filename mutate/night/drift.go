package night

import (
	"context"
	"fmt"
	"slices"

	"evolve/bench"
	"evolve/bench/stats"
	"evolve/mutate"
)

// driftLevel is the confidence level at which the champion's scores of an earlier night
// must differ from tonight's for that night to be left out. Even if nothing has changed,
// one night in fifty is left out.
const driftLevel = .99

// pastRun is a run whose evaluations a search may learn from, with the index of its first
// evaluation in the history.
type pastRun struct {
	id   string
	from int
}

// withoutDrift returns the history without the runs in which the champion's scores are
// higher or lower than in tonight's reruns. A provider that changed its model, or a tool
// that degraded, has changed the scores of other configs as well. The history of agents
// without randomness stays whole, because their answers change only with their config and
// folder.
func (n *night) withoutDrift(ctx context.Context, past []pastRun, history []mutate.Remembered) ([]mutate.Remembered, error) {
	if n.Agent.Fixed() || len(history) == 0 {
		return history, nil
	}
	if err := n.Archive.Flush(ctx); err != nil {
		return nil, fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	tonight, err := n.championScores(ctx, n.Run.ID, bench.StageAA)
	if err != nil || len(tonight) == 0 {
		return history, err
	}
	runs := make([]stats.NightScores, len(past))
	for i, p := range past {
		if runs[i], err = n.championScores(ctx, p.id, bench.StageAA, bench.StageSearch); err != nil {
			return nil, err
		}
	}
	var kept []mutate.Remembered
	for i, left := range drifted(runs, tonight, stats.Nature{Deterministic: n.Agent.Deterministic}) {
		to := len(history)
		if i+1 < len(past) {
			to = past[i+1].from
		}
		if !left {
			kept = append(kept, history[past[i].from:to]...)
		}
	}
	if left := len(history) - len(kept); left > 0 {
		n.Plan.Warnings = append(n.Plan.Warnings, fmt.Sprintf("the champion's scores differ from those of earlier nights: the search ignores %d of the %d evaluations of those nights", left, len(history)))
	}
	return kept, nil
}

// drifted reports which of the runs, given latest first, differ from tonight. Successive
// runs that do not differ from each other are also compared together, because a single run
// has few scores of the champion. A run without any such score is treated like the next
// later run.
func drifted(runs []stats.NightScores, tonight stats.NightScores, of stats.Nature) []bool {
	differ := func(then []stats.NightScores, now stats.NightScores) bool {
		s, ok := stats.CompareNights(then, []stats.NightScores{now}, of, driftLevel)
		return ok && (s.Lo > 0 || s.Hi < 0)
	}
	out := make([]bool, len(runs))
	for from := 0; from < len(runs); {
		to := from + 1
		for to < len(runs) && !differ(runs[from:to], runs[to]) {
			to++
		}
		together := differ(runs[from:to], tonight)
		for i := from; i < to; i++ {
			out[i] = together || differ(runs[i:i+1], tonight)
		}
		from = to
	}
	return out
}

// championScores returns the scores that tonight's champion has on search tasks in the
// given stages of a run.
func (n *night) championScores(ctx context.Context, run string, stages ...bench.Stage) (stats.NightScores, error) {
	scores := stats.NightScores{}
	for e, err := range n.Archive.Evaluations(ctx, run, n.Agent.ID) {
		if err != nil {
			return nil, fmt.Errorf("reading the champion's scores: %w", err)
		}
		if e.Variant == n.Plan.Champion && e.Split == bench.Search && e.Scored && slices.Contains(stages, e.Stage) {
			scores[e.Task] = append(scores[e.Task], e.Score)
		}
	}
	return scores, nil
}
