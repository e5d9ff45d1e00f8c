package problem

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"evolve/runtime/agent"
)

// many draws forty to eighty parameters of all kinds with generated names. About one in
// eight of them has a condition.
func (m *maker) many() []agent.Param {
	var params, deciders []agent.Param
	texts := 0
	for i := range 40 + m.rng.IntN(41) {
		p := m.anyParam(fmt.Sprintf("%s_%02d", syllables(m.rng), i+1), texts < 2)
		if p.Kind == agent.Text {
			texts++
		}
		if len(deciders) > 0 && m.rng.IntN(8) == 0 {
			if d := deciders[m.rng.IntN(len(deciders))]; d.Kind == agent.Bool {
				p = When(p, d.Name, true)
			} else {
				p = When(p, d.Name, d.Values[1:]...)
			}
		} else if p.Kind == agent.Bool || p.Kind == agent.Choice {
			deciders = append(deciders, p)
		}
		params = append(params, p)
	}
	return params
}

func (m *maker) anyParam(name string, text bool) agent.Param {
	switch m.rng.IntN(8) {
	case 0, 1:
		return choice(name, labels(2+m.rng.IntN(5))...)
	case 2:
		return toggle(name)
	case 3:
		return whole(name, 0, float64(3+m.rng.IntN(20)))
	case 4:
		return Logarithmic(whole(name, 1, float64(int(1)<<(4+m.rng.IntN(10)))))
	case 5:
		return Logarithmic(float(name, 0.001, between(m.rng, 0.1, 100)))
	case 6:
		if m.rng.IntN(2) == 0 {
			return agent.Param{Name: name, Kind: agent.Subset, Of: tools()[:3+m.rng.IntN(3)]}
		}
		if text {
			p := agent.Param{Name: name, Kind: agent.Text, Lines: directives()[:3+m.rng.IntN(2)], Default: ownLine}
			p.MaxChars = len(ownLine) + len(strings.Join(p.Lines, "\n")) + 1
			return p
		}
	}
	low := between(m.rng, -1, 1)
	return float(name, low, low+between(m.rng, 0.5, 4))
}

// syllables generates a meaningless name.
func syllables(rng *rand.Rand) string {
	name := ""
	for range 2 + rng.IntN(2) {
		name += string("bdfgklmnprstvz"[rng.IntN(14)]) + string("aeiou"[rng.IntN(5)])
	}
	return name
}

// labels returns the first n of a list of meaningless values for a choice.
func labels(n int) []any {
	var list []any
	for k := range n {
		list = append(list, string(rune('a'+k)))
	}
	return list
}

// few gives three to six parameters an effect. At least three of them are numbers, choices
// or switches that are always active, with one or two interactions between them.
func (m *maker) few(sample []point) {
	var plain, rest []int
	for _, i := range m.rng.Perm(len(m.params)) {
		if p := m.params[i]; len(plain) < 3 && len(p.When) == 0 && p.Kind != agent.Subset && p.Kind != agent.Text {
			plain = append(plain, i)
		} else {
			rest = append(rest, i)
		}
	}
	for _, i := range append(plain, rest[:m.rng.IntN(4)]...) {
		m.add(single(m.rng, m.params[i], i, uneven), 0.7+0.5*m.rng.ExpFloat64(), sample)
	}
	for k := range 1 + m.rng.IntN(2) {
		m.add(m.joint(plain[k], plain[k+1]), between(m.rng, 0.8, 1.6), sample)
	}
}

// uneven draws a shape that can be far from linear: a narrow peak, a cliff or a gentle
// shape.
func uneven(rng *rand.Rand) shape {
	switch rng.IntN(5) {
	case 0, 1:
		return peak(between(rng, 0.1, 0.9), between(rng, 0.08, 0.16))
	case 2:
		return cliff(between(rng, 0.2, 0.8), rng.IntN(2) == 0)
	}
	return gentle(rng)
}

// joint returns an interaction of two numbers, choices or switches.
func (m *maker) joint(i, j int) effect {
	p, q := m.params[i], m.params[j]
	switch {
	case p.Numeric():
		return bend(m.rng, i, j, q)
	case q.Numeric():
		return bend(m.rng, j, i, p)
	}
	return pair(m.rng, i, levels(p), j, levels(q))
}
