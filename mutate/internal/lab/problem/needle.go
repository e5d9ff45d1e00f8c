package problem

import (
	"fmt"
	"slices"

	"evolve/runtime/agent"
)

// dials returns three choices with five values each, which make 125 configs.
func (m *maker) dials() []agent.Param {
	var params []agent.Param
	for i := range 3 {
		params = append(params, choice(fmt.Sprintf("%s_%d", syllables(m.rng), i+1), labels(5)...))
	}
	return params
}

// needle draws scores such that all configs but one fail about half of the tasks that this
// one config passes. Nothing points to that config: neither its values nor its neighbours
// are better than others.
func (m *maker) needle([]point) {
	right := point{float64(m.rng.IntN(5)), float64(m.rng.IntN(5)), float64(m.rng.IntN(5))}
	m.p.landscape.gates = []gate{{in: func(at point) bool { return !slices.Equal(at, right) }, factor: between(m.rng, 0.5, 0.6)}}
	m.p.leads = []point{right}
}
