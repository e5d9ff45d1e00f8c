package stats

import "math"

// fewestTasks is the smallest number of independent tasks for a claim about new tasks. With
// two to five tasks, τ̂² is too often 0 by chance: a gain was claimed for .010 to .053 of
// the simulated entries that had none, instead of the stated .0042.
const fewestTasks = 8

// LeastTasks returns the smallest number of independent tasks for a claim about new tasks
// at alpha: 8, or ⌈log2(1/α)⌉ if that is more, so that a sign test could reach alpha as
// well.
func LeastTasks(alpha float64) int {
	return max(fewestTasks, int(math.Ceil(-math.Log2(alpha)-flat)))
}

// Independent returns the effective number of independent clusters with the given weights,
// W²/ΣW² (Kish 1965). It equals the number of clusters if all have the same weight, and is
// smaller otherwise. Weights are above 0.
func Independent(weights []float64) float64 {
	var sum, squares float64
	for _, w := range weights {
		sum += w
		squares += w * w
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / squares
}

// reach holds the evidence that a sample of pairs provides about new tasks like these, on
// other nights.
type reach struct {
	sample *Sample
	Components
	drift drift
}

func newReach(clean []Pair) reach {
	r := reach{sample: sampleOf(clean), Components: pairComponents(clean)}
	r.drift = newDrift(clean, r.Within)
	return r
}

// enough reports whether the effective number of independent tasks suffices for a claim
// at alpha.
func (r reach) enough(alpha float64) bool {
	return r.Effective > float64(LeastTasks(alpha))-1e-9
}

// lower returns the bound that the mean difference over new tasks exceeds with confidence 1
// − alpha:
//
//	d̄ − √(max((d̄ − L)² + t²·τ̂²/M, t²·V/M) + z²·ν²/N).
//
// The first argument of max is that of [NewTaskLower]. The second is that of Student's
// bound with the untruncated variance V of the tasks' means. It is needed because τ̂²,
// which is V minus the part due to chance, truncated at 0, is too small too often with few
// tasks. ν² is the variance of the shift that a night's differences share, over N nights
// ([drift]). limit is the limit that NewTaskLower returns, for a growing number of blocks
// and nights.
func (r reach) lower(alpha float64) (bound, limit float64) {
	bound, limit = NewTaskLower(r.sample, r.Components, alpha)
	if !r.telling() {
		return bound, limit
	}
	mean := r.sample.Mean()
	return math.Max(-1, mean-r.half(mean-r.sample.Lower(alpha), alpha)), limit
}

// interval returns an interval that covers the mean difference over new tasks with the
// given confidence (level). It applies the rule of lower on both sides; if that rule
// gives no bound, the interval is the whole scale.
func (r reach) interval(level float64) Interval {
	if !r.telling() {
		return Interval{Lo: -1, Hi: 1}
	}
	alpha := (1 - level) / 2
	mean, same := r.sample.Mean(), r.sample.Interval(level)
	return Interval{
		Lo: math.Max(-1, mean-r.half(mean-same.Lo, alpha)),
		Hi: math.Min(1, mean+r.half(same.Hi-mean, alpha)),
	}
}

// half returns the distance of a bound for new tasks from the mean. same is the distance
// of the bound for these tasks.
func (r reach) half(same, alpha float64) float64 {
	return math.Hypot(math.Max(math.Hypot(same, r.spread(alpha)), r.student(alpha)), r.drift.error(alpha))
}

// student returns t_{1−alpha, M−1}·√(V/M).
func (c Components) student(alpha float64) float64 {
	if c.Untruncated == 0 {
		return 0
	}
	return tQuantile(1-alpha, math.Max(c.Effective-1, minDF)) * math.Sqrt(c.Untruncated/float64(c.Tasks))
}
