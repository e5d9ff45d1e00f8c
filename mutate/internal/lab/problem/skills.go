package problem

import "evolve/runtime/agent"

// owned draws the effects of parameters, and interactions of parameters from the same
// domain. Each parameter belongs to one domain, except for two that belong to all domains.
func (m *maker) owned(sample []point) {
	m.owner = map[int]int{}
	domains := m.domains.draw(m.rng)
	m.domains = span{domains, domains}
	groups := make([][]int, domains)
	add := func(raw effect, weight float64, owner int) {
		before := len(m.weights)
		if m.add(raw, weight, sample); len(m.weights) > before {
			m.owner[before] = owner
		}
	}
	for k, i := range m.rng.Perm(len(m.params)) {
		p := m.params[i]
		owner := 0
		if k >= 2 {
			owner = 1 + k%domains
			if p.Kind != agent.Subset && p.Kind != agent.Text {
				groups[owner-1] = append(groups[owner-1], i)
			}
		}
		add(single(m.rng, p, i, anyShape), 0.5+0.7*m.rng.ExpFloat64(), owner)
	}
	for d, g := range groups {
		if len(g) > 1 {
			add(m.joint(g[0], g[1]), between(m.rng, 0.5, 1.2), d+1)
		}
	}
}
