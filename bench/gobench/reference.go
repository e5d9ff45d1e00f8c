package gobench

import (
	"fmt"
	"math"
	"slices"
)

// Reference scores runs of candidates relative to the base, for a search.
type Reference struct {
	// base is the base's median of the metric for each benchmark; it is above 0.
	base   map[string]float64
	metric string
	better Direction
}

// steepness is k in the score; see [Reference.Score].
const steepness = 8

// NewReference returns a reference that holds the base's median of the rule's metric for
// each benchmark. It returns an error if the direction of the metric is unknown, if the
// base has no values of the metric, or if a median is not above 0.
func NewReference(base []Run, rule Rule) (*Reference, error) {
	rule = rule.withDefaults()
	r := &Reference{base: map[string]float64{}, metric: rule.Metric, better: rule.direction(rule.Metric)}
	if r.better == 0 {
		return nil, fmt.Errorf("no setting specifies whether higher or lower values of %s are better", rule.Metric)
	}
	columns := map[string][]float64{}
	for _, run := range base {
		for k := range run {
			if k.Unit == rule.Metric {
				columns[k.Benchmark] = append(columns[k.Benchmark], run.value(k))
			}
		}
	}
	if len(columns) == 0 {
		return nil, fmt.Errorf("the base has no results in %s", rule.Metric)
	}
	for name, values := range columns {
		m := median(values)
		if m <= 0 {
			return nil, fmt.Errorf("the base's median of %s is %v %s: only values above 0 can be compared by their ratio", name, m, rule.Metric)
		}
		r.base[name] = m
	}
	return r, nil
}

// Benchmarks returns the benchmarks that can be scored, sorted. They are the tasks of a
// search.
func (r *Reference) Benchmarks() []string {
	names := make([]string, 0, len(r.base))
	for name := range r.base {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Score returns the score of one benchmark in one run, in [0,1], or false if the run has no
// result for the benchmark. If r is the ratio to the base (base/run where less is better,
// run/base where more is), the score is
//
//	rᵏ / (1 + rᵏ) = σ(k·ln r),  k = 8
//
// The base scores ½, a candidate that is a tenth better .68, one that is twice as good
// .996, and the scores for r and 1/r add up to 1. The searcher's model is σ(ability +
// easiness); here the ability is k times the logarithm of the speed-up, so factors that
// multiply contribute additively, and the benchmarks' sizes do not matter. k sets the
// resolution: below 4 the searcher mistakes gains of 5 to 30 % for chance and stays with
// the base, above 16 it cannot distinguish gains beyond a factor of 2.
//
// The scores of a search are not evidence, because the best of many is selected partly by
// chance. A candidate must be compared with the base on new runs.
func (r *Reference) Score(run Run, benchmark string) (score float64, ok bool) {
	k := Key{benchmark, r.metric}
	base, known := r.base[benchmark]
	if !known || len(run[k]) == 0 {
		return 0, false
	}
	gain := 0.0
	if v := run.value(k); v > 0 {
		gain = float64(r.better) * (math.Log(v) - math.Log(base))
	} else {
		gain = -float64(r.better) * math.Inf(1)
	}
	return 1 / (1 + math.Exp(-steepness*gain)), true
}
