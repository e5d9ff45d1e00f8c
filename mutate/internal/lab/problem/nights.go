package problem

import (
	"math"
	"slices"
)

// earlier makes the problem as it was on an earlier night. It has the same space and tasks,
// but each skill has different weights, and the weights of some terms are reversed. The
// default has the same mean score as tonight, so its score does not reveal the change.
func (m *maker) earlier(sample []point) {
	p := *m.p
	p.landscape.skills = nil
	changed := between(m.rng, 0.3, 0.7)
	turned := make([]bool, len(m.weights))
	for t := range turned {
		turned[t] = m.rng.IntN(6) == 0
	}
	for _, now := range m.p.landscape.skills {
		then := slices.Clone(now)
		for t := range then {
			then[t] = math.Sqrt(1-changed)*now[t] + math.Sqrt(changed)*math.Abs(now[t])*m.rng.NormFloat64()
			if turned[t] {
				then[t] = -then[t]
			}
		}
		_, deviation := moments(sample, func(at point) float64 { return dot(then, p.landscape.view(at).terms) })
		for t := range then {
			then[t] *= m.spread / deviation
		}
		p.landscape.skills = append(p.landscape.skills, then)
	}
	m.match(&p)
	p.noise.salt = m.rng.Uint64()
	p.best = p.onceBest()
	m.p.Earlier = &p
}

// match shifts all thresholds of the earlier problem until the default has the same score
// as in the later problem.
func (m *maker) match(p *Problem) {
	goal := m.p.True(m.p.Default())
	shifted := func(items []item, by float64) []item {
		list := slices.Clone(items)
		for j := range list {
			list[j].demands = slices.Clone(list[j].demands)
			for k := range list[j].demands {
				list[j].demands[k].threshold += by
			}
		}
		return list
	}
	lo, hi := -10.0, 10.0
	for range 40 {
		by := (lo + hi) / 2
		p.search, p.holdout = shifted(m.p.search, by), shifted(m.p.holdout, by)
		if p.True(p.Default()) > goal {
			lo = by
		} else {
			hi = by
		}
	}
}
