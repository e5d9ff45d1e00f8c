package mutate

import (
	"fmt"

	"evolve/runtime/agent"
)

// cross takes each parameter from one of two parents.
func (s *search) cross(a, b *arm) (child, bool) {
	c := make(agent.Config, len(a.config))
	for _, p := range s.space.Params {
		from := a.config
		if s.rng.IntN(2) == 0 {
			from = b.config
		}
		if v, ok := from[p.Name]; ok {
			c[p.Name] = v
		}
	}
	c = s.complete(c.Clone()) // a copy: the values are the parents'
	if same(c, a.config) || same(c, b.config) {
		return child{}, false
	}
	return child{c, "crossover", fmt.Sprintf("each parameter from %s or %s", a.id.Short(), b.id.Short())}, true
}
