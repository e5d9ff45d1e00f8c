package problem

import (
	"fmt"

	"evolve/runtime/agent"
)

// stages returns fifteen choices with three values each.
func (m *maker) stages() []agent.Param {
	var params []agent.Param
	for i := range 15 {
		params = append(params, choice(fmt.Sprintf("stage_%02d", i+1), labels(3)...))
	}
	return params
}

// joints draws weak effects of single choices, pairwise interactions in a ring over all
// choices, and interactions of three choices.
func (m *maker) joints(sample []point) {
	n := len(m.params)
	for i, p := range m.params {
		m.add(single(m.rng, p, i, gentle), between(m.rng, 0.1, 0.4), sample)
	}
	ring := m.rng.Perm(n)
	for k, i := range ring {
		if j := ring[(k+1)%n]; m.rng.IntN(4) > 0 {
			m.add(pair(m.rng, i, 3, j, 3), between(m.rng, 0.5, 1.5), sample)
		}
	}
	for range 5 + m.rng.IntN(4) {
		three := m.rng.Perm(n)
		m.add(m.triple(three[0], three[1], three[2]), between(m.rng, 0.8, 1.6), sample)
	}
}

// triple returns the interaction of three choices with three values each. A value is drawn
// for each of the 27 combinations.
func (m *maker) triple(i, j, k int) effect {
	var table [27]float64
	for c := range table {
		table[c] = m.rng.NormFloat64()
	}
	return func(at point) float64 { return table[int(9*at[i]+3*at[j]+at[k])] }
}
