package mutate

import (
	"evolve/runtime/agent"
)

// random draws a config uniformly, each number on its own scale. What has only one
// value stays as the champion has it.
func (s *search) random() child {
	c := make(agent.Config, len(s.space.Params))
	for _, p := range s.space.Params {
		if v, ok := s.champion.config[p.Name]; ok && fixed(p) {
			c[p.Name] = v
		}
	}
	for _, p := range s.params {
		c[p.Name] = s.draw(p)
	}
	return child{s.canonical(c.Clone()), "random", "drawn at random"}
}

// draw draws one value.
func (s *search) draw(p agent.Param) any {
	switch p.Kind {
	case agent.Float, agent.Int:
		return fromUnit(p, s.rng.Float64())
	case agent.Choice:
		return p.Values[s.rng.IntN(len(p.Values))]
	case agent.Bool:
		return s.rng.IntN(2) == 0
	case agent.Subset:
		return s.drawSubset(p)
	case agent.Text:
		return s.drawText(p)
	}
	return p.Default
}

// drawSubset draws the size evenly between its bounds, then the members.
func (s *search) drawSubset(p agent.Param) any {
	size := p.MinItems + s.rng.IntN(most(p)-p.MinItems+1)
	chosen := map[int]bool{}
	for _, i := range s.rng.Perm(len(p.Of))[:size] {
		chosen[i] = true
	}
	out := []string{}
	for i, m := range p.Of {
		if chosen[i] {
			out = append(out, m)
		}
	}
	return out
}

// drawText keeps what a person wrote and adds up to three of the offered lines.
func (s *search) drawText(p agent.Param) any {
	text, ok := s.champion.config[p.Name].(string)
	if !ok {
		text, _ = p.Default.(string)
	}
	lines := offered(p)
	for _, l := range lines {
		text = dropLine(text, l)
	}
	want := s.rng.IntN(4)
	for _, i := range s.rng.Perm(len(lines)) {
		if next := addLine(text, lines[i]); want > 0 && fits(p, next) {
			text, want = next, want-1
		}
	}
	return text
}
