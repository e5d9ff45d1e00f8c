package mutate

import (
	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

// countable is the maximum number of combinations that are enumerated.
const countable = 20_000

// untried returns the next config in a small space that is not a variant yet; nil if there
// is none, or if the space is too large to enumerate. Random draws would find the last few
// configs slowly or never.
func (s *search) untried() agent.Config {
	for total := s.configs(); s.counted < total; {
		n := s.counted
		s.counted++
		c := s.random().config
		for i, p := range s.countable() {
			c[p.Name] = s.values[i][n%len(s.values[i])]
			n /= len(s.values[i])
		}
		c = operator.Canonical(s.space, c.Clone())
		if _, known := s.byID[c.ID()]; !known {
			return c
		}
	}
	return nil
}

// everyValue returns the list of values of each countable parameter, in order. It stops
// early, and returns fewer lists, if a parameter cannot be enumerated or there are too many
// combinations.
func (s *search) everyValue() [][]any {
	out := make([][]any, 0, len(s.countable()))
	total := 1
	for _, p := range s.countable() {
		list := valuesOf(p)
		if total *= len(list); len(list) == 0 || total > countable {
			break
		}
		out = append(out, list)
	}
	return out
}

// valuesOf returns the values of a parameter; nil if they cannot be enumerated or are too
// many.
func valuesOf(p agent.Param) []any {
	var out []any
	switch p.Kind {
	case agent.Bool:
		return []any{false, true}
	case agent.Choice:
		return p.Values
	case agent.Int:
		if p.Max-p.Min >= countable {
			return nil
		}
		for v := p.Min; v <= p.Max; v++ {
			out = append(out, int64(v))
		}
	case agent.Subset:
		if len(p.Of) > 14 {
			return nil
		}
		for mask := range 1 << len(p.Of) {
			list := []string{}
			for i, m := range p.Of {
				if mask>>i&1 == 1 {
					list = append(list, m)
				}
			}
			if len(list) >= p.MinItems && len(list) <= mostItems(p) {
				out = append(out, list)
			}
		}
	}
	return out
}

// countable returns the parameters that have more than one value, in order.
func (s *search) countable() []agent.Param {
	var out []agent.Param
	for _, p := range s.space.Params {
		if !operator.Fixed(p) {
			out = append(out, p)
		}
	}
	return out
}
