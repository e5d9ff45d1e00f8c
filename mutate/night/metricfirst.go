package night

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

const (
	// leastShared is the minimum number of search cases that two versions must share so
	// that the mean of the metric can be used to order them.
	leastShared = 10
	// firstAlpha is the joint error level of all intervals by which versions are compared
	// with the version that the score puts first.
	firstAlpha = .05
)

// findMetricFirst records a version if the mean of the metric shows it to be better than
// the version that the search recommends. Neither version may have been refused by gates
// or left out.
func (n *night) findMetricFirst(ctx context.Context) error {
	best, kind := n.result.Search.Recommended.Variant, n.Plan.Metric
	if n.values == nil || kind == nil || best == "" || best == n.Plan.Champion || n.opened.Varies != nil && n.opened.Varies() != "" {
		return nil
	}
	if out, err := n.isOut(ctx, best); err != nil || out {
		return err
	}
	var rivals []agent.ConfigID
	for _, id := range slices.Sorted(maps.Keys(n.values.of)) {
		if id != best && id != n.Plan.Champion && len(n.values.pairs(best, id)) >= leastShared {
			rivals = append(rivals, id)
		}
	}
	var better []archive.MetricFirst
	for _, id := range rivals {
		g := stats.FurtherGain(*kind, n.values.pairs(best, id), firstAlpha/float64(len(rivals)))
		if g != nil && g.Least() > 0 && !g.Negligible() {
			better = append(better, archive.MetricFirst{Variant: id, Over: best, Gain: *g})
		}
	}
	slices.SortStableFunc(better, func(x, y archive.MetricFirst) int { return cmp.Compare(y.Gain.Least(), x.Gain.Least()) })
	for _, first := range better {
		out, err := n.isOut(ctx, first.Variant)
		if err != nil {
			return err
		}
		if !out {
			n.result.Search.MetricFirst = &first
			return nil
		}
	}
	return nil
}

// isOut reports whether gates refused a version tonight, or whether it may not enter the
// confirmation.
func (n *night) isOut(ctx context.Context, id agent.ConfigID) (bool, error) {
	if n.refusedTonight(id) {
		return true, nil
	}
	v, err := n.Archive.Variant(ctx, n.Agent.ID, id)
	if errors.Is(err, archive.ErrNotFound) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("%w: reading a version: %w", bench.ErrRecorder, err)
	}
	return n.exclusion(id, v.Config, math.Inf(-1), 0) != nil, nil
}

// pairs returns the values of two versions on the cases on which both were scored, in the
// order of the cases. It returns nil if one of the versions fails on one of these cases.
func (v *Values) pairs(a, b agent.ConfigID) []stats.Pair {
	var out []stats.Pair
	for task, one := range v.of[a] {
		other, both := v.of[b][task]
		if !both {
			continue
		}
		if !one.graded || !other.graded {
			return nil
		}
		out = append(out, stats.Pair{Task: task, Cluster: task, Weight: 1, Values: stats.Measured{A: []float64{one.value}, B: []float64{other.value}}})
	}
	slices.SortFunc(out, func(x, y stats.Pair) int { return cmp.Compare(x.Task, y.Task) })
	return out
}
