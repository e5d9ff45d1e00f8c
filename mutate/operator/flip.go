package operator

import (
	"math/rand/v2"

	"evolve/runtime/agent"
)

// flip returns another value of a choice, each with equal probability, or inverts a switch.
// Routes and the decomposition of goals are ordinary choices and switches: evaluations show
// their worth.
func flip(p agent.Param, old any, _ float64, rng *rand.Rand) (any, bool) {
	if b, ok := old.(bool); ok && p.Kind == agent.Bool {
		return !b, true
	}
	if len(p.Values) < 2 {
		return nil, false
	}
	at := rng.IntN(len(p.Values) - 1)
	for _, v := range p.Values {
		if v == old {
			continue
		}
		if at == 0 {
			return v, true
		}
		at--
	}
	return nil, false
}
