package gobench

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// Rule defines the requirements of a comparison. The zero Rule requires less time per
// operation, at the default significance level, and guards all other units.
type Rule struct {
	// Metric is the unit in which at least one benchmark must improve, in benchstat's base
	// form; "" means "sec/op". No benchmark may get worse in this unit.
	Metric string
	// Guards are further units that must not get worse; nil means every measured unit with
	// a known direction. A unit that the base does not report voids the comparison.
	Guards []string
	// Directions gives the directions of units other than sec/op, B/op, allocs/op (lower is
	// better) and B/s (higher).
	Directions map[string]Direction
	// Alpha is the significance level of the whole comparison: the probability of finding
	// any difference if there is none. It is in (0,1); 0 means 0.05.
	Alpha float64
	// Least is the smallest change that counts, relative to the base; 0 means 0.01. Smaller
	// changes may be due to the placement of code in memory.
	Least float64
	// Loss is the largest undetected loss that is accepted, relative to the base; 0 means
	// 0.1. Comparisons that neither rule out a larger loss nor would have detected such a
	// loss are listed in [Result.Blind].
	Loss float64
}

func (r Rule) withDefaults() Rule {
	if r.Metric == "" {
		r.Metric = "sec/op"
	}
	if r.Alpha == 0 {
		r.Alpha = 0.05
	}
	if r.Least == 0 {
		r.Least = 0.01
	}
	if r.Loss == 0 {
		r.Loss = 0.1
	}
	return r
}

// compared reports whether the rule compares values in a unit: the unit's direction must be
// known, and it must be the metric or guarded.
func (r Rule) compared(unit string) bool {
	switch {
	case r.direction(unit) == 0:
		return false
	case unit == r.Metric || r.Guards == nil:
		return true
	}
	return slices.Contains(r.Guards, unit)
}

// keys returns the compared keys, sorted: all keys in the runs of the base whose units are
// compared.
func (r Rule) keys(base []Run) []Key {
	seen := map[Key]bool{}
	for _, run := range base {
		for k := range run {
			if r.compared(k.Unit) {
				seen[k] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b Key) int {
		return cmp.Or(strings.Compare(a.Benchmark, b.Benchmark), strings.Compare(a.Unit, b.Unit))
	})
}

// Needed returns the minimum number of runs per side for a difference to be significant,
// given the comparisons that these runs of the base require. A single run of the base is
// enough to plan with. Ten or more runs per side detect smaller differences.
func (r Rule) Needed(base []Run) int {
	r = r.withDefaults()
	return needed(r.Alpha, len(r.keys(base)))
}

// needed returns the smallest number n of runs per side, at most mostRuns, with which a
// difference can be significant after Holm's correction: the smallest p-value of the U test
// is 2/C(2n,n), and the strictest level is alpha/comparisons.
func needed(alpha float64, comparisons int) int {
	for n := 1; ; n++ {
		if leastP(n) <= alpha/float64(max(1, comparisons)) || n >= mostRuns {
			return n
		}
	}
}

// leastP returns the smallest two-sided p-value of the U test with n runs per side.
func leastP(n int) float64 {
	ways, _ := math.Lgamma(float64(2*n + 1))
	half, _ := math.Lgamma(float64(n + 1))
	return math.Min(1, 2*math.Exp(2*half-ways))
}

// holm adjusts p-values for multiple comparisons (Holm 1979): if adjusted values at or
// below alpha count as significant, the probability of any false finding is at most alpha.
func holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	highest := 0.0
	for rank, i := range order {
		highest = math.Max(highest, math.Min(1, float64(len(p)-rank)*p[i]))
		out[i] = highest
	}
	return out
}
