package operator

import (
	"fmt"
	"math/rand/v2"

	"evolve/runtime/agent"
)

// crossover takes each parameter from Parent or Other. It takes it from Other with
// probability Scale/2, so that both have equal weight at Scale 1.
type crossover struct{}

func (crossover) Name() string { return "crossover" }

func (o crossover) Make(s FailureContext, rng *rand.Rand) (Child, bool) {
	if s.Other == nil {
		return Child{}, false
	}
	c := make(agent.Config, len(s.Parent))
	for _, p := range s.Space.Params {
		from := s.Parent
		if rng.Float64() < s.scale()/2 {
			from = s.Other
		}
		if v, ok := from[p.Name]; ok {
			c[p.Name] = clone(v)
		}
	}
	c = complete(s.Space, c, rng)
	if same(c, s.Parent) || same(c, s.Other) {
		return Child{}, false
	}
	return Child{
		Config: c, Operator: o.Name(), Both: true,
		Rationale: fmt.Sprintf("each parameter from %s or %s", s.Parent.ID().Short(), s.Other.ID().Short()),
	}, true
}
