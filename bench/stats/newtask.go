package stats

import "math"

// NewTaskLower returns the bound that must be above 0 for the claim "better on new tasks
// like these" at level alpha. With d̄ the mean and L the lower bound at alpha for these
// very tasks,
//
//	bound = d̄ − √((d̄ − L)² + t²·τ̂²/M), t = t_{1−alpha, M−1}.
//
// There are two independent errors, whose squares add: the error about these tasks, which L
// bounds at any stopping time, and the error of taking these tasks for all tasks (Howe
// 1974, the modified large-sample bound; Zou and Donner 2008). limit = d̄ − t·τ̂/√M is the
// limit of the bound as the number of blocks grows: if it is not above 0, more blocks on
// these tasks cannot prove the claim.
//
// L is valid at any stopping time, but t only at one look. Because the tasks stay the same
// from look to look, and L must be above 0 as well, many looks add little error: over 25
// looks, 1.7 to 4.4 % of simulated candidates without a gain were claimed to be better at α
// = 5 %, with 6 to 40 tasks and τ of 0 to 30 points.
//
// The full rule is in [reach].
//
// Both results are −1 if the effect of tasks and chance cannot be separated, that is, if
// there are fewer than two tasks, or if fewer than half of the tasks have two pairs. The
// degrees of freedom are those of the effective number of tasks ([Components]).
func NewTaskLower(s *Sample, c Components, alpha float64) (bound, limit float64) {
	if !c.telling() {
		return -1, -1
	}
	mean, spread := s.Mean(), c.spread(alpha)
	return math.Max(-1, mean-math.Hypot(mean-s.Lower(alpha), spread)), math.Max(-1, mean-spread)
}

// telling reports whether variance from chance and variance between tasks can be separated.
func (c Components) telling() bool { return c.Repeated && c.Effective > 1+flat }

// spread returns t_{1−alpha, M−1}·τ̂/√M.
func (c Components) spread(alpha float64) float64 {
	if c.Between == 0 {
		return 0
	}
	return tQuantile(1-alpha, math.Max(c.Effective-1, minDF)) * math.Sqrt(c.Between/float64(c.Tasks))
}
