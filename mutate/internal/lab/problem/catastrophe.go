package problem

import "evolve/runtime/agent"

// catastrophes draws gates for regions in which each of two parameters has a value in about
// half of its range, so each gate applies to about a fifth of the space.
func (m *maker) catastrophes() {
	var able []int
	for i, p := range m.params {
		if p.Kind != agent.Subset && p.Kind != agent.Text {
			able = append(able, i)
		}
	}
	for range m.recipe.catastrophes.draw(m.rng) {
		two := m.rng.Perm(len(able))
		one, other := m.half(able[two[0]]), m.half(able[two[1]])
		m.p.landscape.gates = append(m.p.landscape.gates, gate{
			in:     func(at point) bool { return one(at) && other(at) },
			factor: m.remains.draw(m.rng),
		})
	}
}

// half returns a function that selects about half the values of a parameter: one end of a
// number's range, or some values in a list.
func (m *maker) half(i int) func(point) bool {
	p := m.params[i]
	if p.Numeric() {
		edge, up := between(m.rng, 0.4, 0.6), m.rng.IntN(2) == 0
		return func(at point) bool { return at.on(i) && (at[i] > edge) == up }
	}
	n := levels(p)
	first := m.rng.IntN(n)
	return func(at point) bool { return at.on(i) && (int(at[i])-first+n)%n < n/2 }
}
