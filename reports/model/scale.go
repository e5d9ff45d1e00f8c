package model

import (
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/reports/number"
	"evolve/runtime/agent"
)

// mostCoarse is the largest share of a version's cases for which the scale of scores may
// be coarse without a remark in the report.
const mostCoarse = .2

// scaleRemarks describes the cases in which the search's scores rank versions differently
// from the versions' metric: either the scale is coarse at the scores of the recommended
// version, or another version is shown to have a better mean. There are no remarks for
// agents, and none about a version that gates refused or that was left out.
func (b *builder) scaleRemarks() []string {
	best := b.result.Search.Recommended.Variant
	of := b.tally.tried.variants[best].ablated()
	if b.plan.Metric == nil || len(of) == 0 || best == b.plan.Champion || b.excluded(best) {
		return nil
	}
	var out []string
	coarse := 0
	for _, t := range of {
		if t.score > metrics.Coarse {
			coarse++
		}
	}
	if float64(coarse) > mostCoarse*float64(len(of)) {
		out = append(out, fmt.Sprintf("the score hardly distinguishes versions as good as %s: on %s of %s, that version scores within 1 point of the maximum; once you approve a version, later nights score versions relative to it; to distinguish large changes, use a logarithm as the metric",
			b.ref(best).Name(), number.Count(coarse), number.Plural(len(of), "search case")))
	}
	if first := b.result.Search.MetricFirst; first != nil {
		out = append(out, fmt.Sprintf("by the mean of the metric over %s, %s is better than %s, which ranks first by score: %s; a large change in a single case counts for less in the score than in the mean",
			number.Plural(first.Gain.Cases, "search case"), b.ref(first.Variant).Name(), b.ref(first.Over).Name(), first.Gain.Words()))
	}
	return out
}

// excluded reports whether gates refused a version in this run, or whether it was left out
// of the confirmation.
func (b *builder) excluded(id agent.ConfigID) bool {
	return slices.ContainsFunc(b.result.Refused, func(f stats.Refusal) bool { return f.Variant == string(id) }) ||
		slices.ContainsFunc(b.result.LeftOut, func(l archive.LeftOut) bool { return l.Variant == id })
}
