package model

import (
	"fmt"
	"maps"
	"slices"

	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/reports/number"
	"evolve/runtime/agent"
)

// mostCoarse is the share of a version's cases on which the scale may be coarse without a remark.
const mostCoarse = .2

// scaleRemarks describes where the scores of the search do not order versions as their metric
// does: the scale is coarse where the recommended one scores, or another version has the better
// mean on the same cases. There are none for agents, and none of a comparison of means that
// chance explains.
func (b *builder) scaleRemarks() []string {
	kind, best := b.plan.Metric, b.result.Search.Recommended.Variant
	of := b.tally.search[best]
	if kind == nil || of == nil || best == b.plan.Champion {
		return nil
	}
	var out []string
	coarse := 0
	for _, score := range of.scores {
		if score > metrics.Coarse {
			coarse++
		}
	}
	if float64(coarse) > mostCoarse*float64(len(of.scores)) {
		out = append(out, fmt.Sprintf("the score hardly tells versions as good as %s apart: on %d of %s it is within 1 point of the best one; after an approval nights measure against the version, and a logarithm as the metric tells large changes apart",
			b.ref(best).Name(), coarse, number.Plural(len(of.scores), "search case")))
	}
	if words := b.otherFirst(*kind, best); words != "" {
		out = append(out, words)
	}
	return out
}

// otherFirst describes the version with the best mean of the metric on the cases of the
// recommended one, if that is another version; empty where chance moves values.
func (b *builder) otherFirst(kind metrics.Kind, best agent.ConfigID) string {
	if b.plan.Noise.Any() {
		return ""
	}
	at := slices.Collect(maps.Keys(b.tally.search[best].values))
	slices.SortFunc(at, comparePlaces)
	mean, ok := b.tally.search[best].mean(at)
	if !ok {
		return ""
	}
	first, top := best, mean
	for _, id := range slices.Sorted(maps.Keys(b.tally.search)) {
		m, ok := b.tally.search[id].mean(at)
		if ok && id != b.plan.Champion && m != top && (m < top) == (kind.Better == metrics.Lower) {
			first, top = id, m
		}
	}
	g := stats.Gain{Kind: kind, A: mean, B: top, Difference: top - mean}
	if first == best || g.Negligible() {
		return ""
	}
	return fmt.Sprintf("by the mean of %s on %s %s is better than %s, which the score puts first: %s; a large change of one case counts for less in the score",
		g.Title(), number.Plural(len(at), "search case"), b.ref(first).Name(), b.ref(best).Name(), g.Values())
}
