package problem

import (
	"fmt"
	"math"
	"slices"

	"evolve/runtime/agent"
)

// latch is the condition for parameters behind gates to have an effect: one or two gates
// must have their right values.
type latch struct {
	gates []int
	right []float64
}

func (l latch) open(at point) bool {
	for k, g := range l.gates {
		if at[g] != l.right[k] {
			return false
		}
	}
	return true
}

// gates draws the space. It has three or four gates. Behind each gate, behind one pair of
// gates, and behind no gate, there is a group of three or four parameters. About a third of
// the parameters behind gates are active only if their gates are open.
func (m *maker) gates() []agent.Param {
	var params []agent.Param
	n := 3 + m.rng.IntN(2)
	m.right = make([]float64, n)
	for g := range n {
		p := toggle(fmt.Sprintf("mode_%d", g+1))
		if m.rng.IntN(3) > 0 {
			p = choice(p.Name, labels(3+m.rng.IntN(2))...)
		}
		m.right[g] = float64(m.rng.IntN(levels(p)))
		params = append(params, p)
	}
	single := func(g int) latch { return latch{[]int{g}, m.right[g : g+1]} }
	var groups []latch
	for g := range n {
		groups = append(groups, single(g))
	}
	two := m.rng.Perm(n)[:2]
	groups = append(groups, latch{two, []float64{m.right[two[0]], m.right[two[1]]}}, latch{})
	for k, l := range groups {
		for i := range 3 + m.rng.IntN(2) {
			p := m.behind(fmt.Sprintf("part_%d%c", k+1, 'a'+i))
			if m.rng.IntN(3) == 0 {
				for _, g := range l.gates {
					if p.When == nil {
						p.When = map[string][]any{}
					}
					p.When[params[g].Name] = []any{decode(params[g], m.right[g])}
				}
			}
			params = append(params, p)
			m.latches = append(m.latches, l)
		}
	}
	return params
}

func (m *maker) behind(name string) agent.Param {
	switch m.rng.IntN(5) {
	case 0:
		return choice(name, labels(3+m.rng.IntN(2))...)
	case 1:
		return toggle(name)
	case 2:
		return Logarithmic(whole(name, 1, 64))
	}
	return float(name, 0, 1)
}

// gated draws the effects: small effects of the gates, and effects of the other parameters,
// which are 0 while their gates are closed. An open gate with bad settings is worse than a
// closed gate.
func (m *maker) gated(sample []point) {
	n := len(m.params) - len(m.latches)
	for g := range n {
		m.add(single(m.rng, m.params[g], g, gentle), between(m.rng, 0.1, 0.4), sample)
	}
	for k, l := range m.latches {
		i := n + k
		raw := single(m.rng, m.params[i], i, anyShape)
		var open []point
		for _, at := range sample {
			if at.on(i) {
				open = append(open, at)
			}
		}
		mean, deviation := moments(open, raw)
		if deviation < 1e-9 {
			continue
		}
		worth := between(m.rng, 0.5, 1.5) * over(l, m.params)
		m.add(func(at point) float64 {
			if !at.on(i) || !l.open(at) {
				return 0
			}
			return (raw(at) - mean) / deviation
		}, worth, sample)
	}
}

// over returns the standard deviation of an effect behind a latch. The deviation is taken
// over all uniform configs; over the configs in which the latch is open, it is 1.
func over(l latch, params []agent.Param) float64 {
	part := 1.0
	for _, g := range l.gates {
		part /= float64(levels(params[g]))
	}
	return math.Sqrt(part)
}

// open adds leads for the optimiser, one for each combination of open gates. Without them,
// a climb that opens a gate would have to set the parameters behind the gate at the same
// time.
func (m *maker) open(sample []point) {
	n := len(m.right)
	for mask := range 1 << n {
		at := slices.Clone(sample[mask])
		for g, right := range m.right {
			if mask>>g&1 == 1 {
				at[g] = right
			}
		}
		m.p.codec.settle(at, m.rng)
		m.p.leads = append(m.p.leads, at)
	}
}
