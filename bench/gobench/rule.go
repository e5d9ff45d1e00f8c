package gobench

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// Rule says what a comparison has to show. The zero Rule asks for less time per
// operation at the usual level, with everything else guarded.
type Rule struct {
	// Metric is the unit that is to get better, in benchstat's base form; "": "sec/op".
	// All its benchmarks are guarded as well.
	Metric string
	// Guards are further units that may not get worse; nil: every unit measured whose
	// direction is known. One that the base does not report voids the comparison.
	Guards []string
	// Directions of units beside sec/op, B/op, allocs/op (lower is better) and B/s (higher).
	Directions map[string]Direction
	// Alpha is the chance that anything at all is called different where nothing is, in
	// (0,1); 0: 0.05.
	Alpha float64
	// Least is the smallest change that counts, relative to the base; 0: 0.01. What is
	// smaller is as often the placement of code in memory as the code.
	Least float64
	// Loss is the largest loss, relative to the base, that a candidate may have unseen; 0:
	// 0.1. Where a comparison neither rules a larger one out nor would have found it, its
	// result is in [Result.Blind].
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

// compared reports whether a unit takes part.
func (r Rule) compared(unit string) bool {
	switch {
	case r.direction(unit) == 0:
		return false
	case unit == r.Metric || r.Guards == nil:
		return true
	}
	return slices.Contains(r.Guards, unit)
}

// keys lists what is compared: what any run of the base measured in a unit that takes
// part, in order.
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

// Needed is the number of runs per side from which a difference can be significant at
// all among the comparisons that these runs of the base call for; one run will do to
// plan by. It is the least, not the best: ten or more see smaller differences.
func (r Rule) Needed(base []Run) int {
	r = r.withDefaults()
	return needed(r.Alpha, len(r.keys(base)))
}

// needed counts by Holm's correction: the smallest p-value of the U test with n runs a
// side is 2/C(2n,n), and the strictest level alpha/comparisons.
func needed(alpha float64, comparisons int) int {
	for n := 1; ; n++ {
		if leastP(n) <= alpha/float64(max(1, comparisons)) || n >= mostRuns {
			return n
		}
	}
}

// leastP is the smallest two-sided p-value with n runs a side.
func leastP(n int) float64 {
	ways, _ := math.Lgamma(float64(2*n + 1))
	half, _ := math.Lgamma(float64(n + 1))
	return math.Min(1, 2*math.Exp(2*half-ways))
}

// holm adjusts p-values for being looked at together (Holm 1979): an adjusted value at
// or below alpha is significant, with chance alpha at most that any is wrongly so.
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
