package mutate

import (
	"math/rand/v2"

	"evolve/runtime/agent"
)

// flip takes another value of a choice, or turns a switch.
func flip(p agent.Param, old any, rng *rand.Rand) (any, bool) {
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

// reset goes back to the declared default.
func reset(p agent.Param, old any, _ *rand.Rand) (any, bool) {
	a, b := agent.Config{p.Name: old}, agent.Config{p.Name: p.Default}
	return agent.Config{p.Name: p.Default}.Clone()[p.Name], !a.Equal(b)
}
