package operator

import (
	"math"
	"math/rand/v2"

	"evolve/runtime/agent"
)

// leastStep and mostStep are the bounds of the standard deviation of a step of perturb at
// Scale 1, as a share of the parameter's scale. The deviation is drawn log-uniformly
// between them. Small steps refine a value; large steps leave a local optimum.
const (
	leastStep = 0.02
	mostStep  = 0.4
)

// perturb moves a number by a normally distributed step on the parameter's own scale,
// reflected at the ends of the range.
func perturb(p agent.Param, old any, scale float64, rng *rand.Rand) (any, bool) {
	v, ok := asFloat(old)
	if !ok {
		return nil, false
	}
	size := scale * leastStep * math.Pow(mostStep/leastStep, rng.Float64())
	u := math.Abs(Unit(p, v) + size*rng.NormFloat64())
	if u > 1 {
		u = math.Max(0, 2-u)
	}
	next := FromUnit(p, u)
	if n, isInt := next.(int64); isInt && float64(n) == v {
		// The step is too small for integers: move one up or down, within the range.
		if next = n + 1; rng.IntN(2) == 0 && float64(n-1) >= p.Min || float64(n+1) > p.Max {
			next = n - 1
		}
		if m, _ := asFloat(next); m < p.Min {
			return nil, false
		}
	}
	f, _ := asFloat(next)
	return next, f != v
}
