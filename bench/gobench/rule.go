package gobench

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// Rule defines the requirements of a comparison. The zero Rule requires less time per
// operation at the usual level, with all other units guarded.
type Rule struct {
	// Metric is the unit that must improve, in benchstat's base form; "": "sec/op". All
	// its benchmarks are guarded as well.
	Metric string
	// Guards are further units that must not get worse; nil: every measured unit with a
	// known direction. One that the base does not report voids the comparison.
	Guards []string
	// Directions of units other than sec/op, B/op, allocs/op (lower is better) and B/s
	// (higher).
	Directions map[string]Direction
	// Alpha is the probability that any difference is found where there is none, in
	// (0,1); 0: 0.05.
	Alpha float64
	// Least is the smallest change that counts, relative to the base; 0: 0.01. Smaller
	// changes may be due to the placement of code in memory.
	Least float64
	// Loss is the largest undetected loss that is accepted, relative to the base; 0: 0.1.
	// Comparisons that neither rule out nor would have found a larger one are listed in
	// [Result.Blind].
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

// compared reports whether a unit is compared.
func (r Rule) compared(unit string) bool {
	switch {
	case r.direction(unit) == 0:
		return false
	case unit == r.Metric || r.Guards == nil:
		return true
	}
	return slices.Contains(r.Guards, unit)
}

// keys returns the compared keys, sorted: those of all runs of the base in compared
// units.
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

// Needed returns the minimum number of runs per side with which a difference can be
// significant among the comparisons that these runs of the base require; one run suffices
// for planning. Ten or more runs detect smaller differences.
func (r Rule) Needed(base []Run) int {
	r = r.withDefaults()
	return needed(r.Alpha, len(r.keys(base)))
}

// needed applies Holm's correction: the smallest p-value of the U test with n runs a side
// is 2/C(2n,n), and the strictest level alpha/comparisons.
func needed(alpha float64, comparisons int) int {
	for n := 1; ; n++ {
		if leastP(n) <= alpha/float64(max(1, comparisons)) || n >= mostRuns {
			return n
		}
	}
}

// leastP returns the smallest two-sided p-value with n runs a side.
func leastP(n int) float64 {
	ways, _ := math.Lgamma(float64(2*n + 1))
	half, _ := math.Lgamma(float64(n + 1))
	return math.Min(1, 2*math.Exp(2*half-ways))
}

// holm adjusts p-values for multiple comparisons (Holm 1979): with adjusted values at or
// below alpha taken as significant, the probability of any false one is at most alpha.
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
