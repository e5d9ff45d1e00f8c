package mutate

import (
	"math"
	"math/rand/v2"

	"evolve/runtime/agent"
)

// perturb moves a number by a normal step on its own scale. The step's size is
// log-uniform between .02 and .4 of the range: small steps refine, large ones leave
// a valley. A step beyond an end is reflected.
func perturb(p agent.Param, old any, rng *rand.Rand) (any, bool) {
	v, ok := asFloat(old)
	if !ok {
		return nil, false
	}
	size := 0.02 * math.Pow(20, rng.Float64())
	u := unit(p, v) + size*rng.NormFloat64()
	u = math.Abs(u)
	if u > 1 {
		u = math.Max(0, 2-u)
	}
	next := fromUnit(p, u)
	if n, isInt := next.(int64); isInt && float64(n) == v {
		// Too small a step for whole numbers: one up or down, inside the range.
		if next = n + 1; rng.IntN(2) == 0 && float64(n-1) >= p.Min || float64(n+1) > p.Max {
			next = n - 1
		}
	}
	f, _ := asFloat(next)
	return next, f != v
}

func asFloat(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}
