package stats

import "math"

// fewestTasks is the smallest number of independent tasks on which a claim about new ones is
// made. On two to five tasks τ̂² is too often 0 by chance: .010 to .053 of simulated entries without
// a gain were claimed, where .0042 are stated.
const fewestTasks = 8

// LeastTasks is the smallest number of independent tasks on which a claim about new tasks
// may be made at alpha: 8, or ⌈log2(1/α)⌉ where that is more, so that a sign test
// could reach alpha as well.
func LeastTasks(alpha float64) int {
	return max(fewestTasks, int(math.Ceil(-math.Log2(alpha)-flat)))
}

// Independent is the number of independent tasks that clusters of the given weights are worth,
// W²/ΣW² (Kish 1965): their number when all weigh the same, otherwise fewer. Weights
// are above 0.
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

// reach is what a sample of pairs says of new tasks like these, on other nights.
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

// enough reports whether there are as many independent tasks as a claim at alpha needs. Both
// their number and what uneven weights leave of it count.
func (r reach) enough(alpha float64) bool {
	return r.Effective > float64(LeastTasks(alpha))-1e-9
}

// lower is the bound that the mean difference over new tasks exceeds with confidence 1 − alpha:
//
//	d̄ − √(max((d̄ − L)² + t²·τ̂²/M, t²·V/M) + z²·ν²/N),
//
// the first of the two being [NewTaskLower], the second Student's bound with the variance V of the
// tasks' means as it is: τ̂² is V less what chance adds, cut at 0, which with few tasks is too
// small too often. ν² is the variance of what a night's differences share, over N nights ([drift]).
// limit is that of [NewTaskLower], where it goes with ever more blocks and nights.
func (r reach) lower(alpha float64) (bound, limit float64) {
	bound, limit = NewTaskLower(r.sample, r.Components, alpha)
	if !r.telling() {
		return bound, limit
	}
	mean := r.sample.Mean()
	return math.Max(-1, mean-r.half(mean-r.sample.Lower(alpha), alpha)), limit
}

// interval covers the mean difference over new tasks with confidence level, by the rule of lower
// on both sides; it is the whole scale where that has no bound.
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

// half is the distance of a bound for new tasks from the mean, given that of the one for these.
func (r reach) half(same, alpha float64) float64 {
	return math.Hypot(math.Max(math.Hypot(same, r.spread(alpha)), r.student(alpha)), r.drift.error(alpha))
}

// student is t_{1−alpha, M−1}·√(V/M).
func (c Components) student(alpha float64) float64 {
	if c.Untruncated == 0 {
		return 0
	}
	return tQuantile(1-alpha, math.Max(c.Effective-1, minDF)) * math.Sqrt(c.Untruncated/float64(c.Tasks))
}
