package mutate

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// operator makes one change to one parameter. It returns the new value, or false
// when it has none to offer. It never changes the value it was given.
type operator struct {
	name string
	// serves says which parameters it can change.
	serves func(agent.Param) bool
	change func(p agent.Param, old any, rng *rand.Rand) (any, bool)
}

// operators lists the parameter operators.
func operators() []operator {
	return []operator{
		{"perturb", agent.Param.Numeric, perturb},
		{"flip", func(p agent.Param) bool { return p.Kind == agent.Choice || p.Kind == agent.Bool }, flip},
		{"subset", func(p agent.Param) bool { return p.Kind == agent.Subset }, changeMembers},
		{"directive", func(p agent.Param) bool { return p.Kind == agent.Text && len(p.Lines) > 0 }, changeLine},
		{"reset", func(p agent.Param) bool { return true }, reset},
	}
}

// child is a changed config with the story of the change.
type child struct {
	config    agent.Config
	operator  string
	rationale string
}

// mutant changes a few parameters of a parent: one, and another with probability
// one half, and so on. It returns false when nothing changed.
func (s *search) mutant(parent agent.Config) (child, bool) {
	c := parent.Clone()
	var names, told []string
	for first := true; first || (len(told) < 4 && s.rng.IntN(2) == 0); first = false {
		active := s.changeable(c)
		if len(active) == 0 {
			break
		}
		p := active[s.rng.IntN(len(active))]
		op := s.pick(p)
		v, ok := op.change(p, c[p.Name], s.rng)
		if !ok {
			continue
		}
		before := c[p.Name]
		c[p.Name] = v
		c = s.complete(c) // what the change switched on or off
		names = append(names, op.name)
		told = append(told, tell(p.Name, before, v))
	}
	if same(c, parent) {
		return child{}, false
	}
	return child{c, joined(names...), strings.Join(told, " · ")}, true
}

// changeable lists the parameters that are active and have more than one value.
func (s *search) changeable(c agent.Config) []agent.Param {
	var out []agent.Param
	for _, p := range s.params {
		if _, ok := c[p.Name]; ok {
			out = append(out, p)
		}
	}
	return out
}

// pick chooses an operator for a parameter: its own kind's, and now and then the
// reset to the default.
func (s *search) pick(p agent.Param) operator {
	var own []operator
	for _, op := range s.operators {
		if op.serves(p) {
			own = append(own, op)
		}
	}
	if len(own) > 1 && s.rng.IntN(12) != 0 {
		return own[s.rng.IntN(len(own)-1)] // reset is the last
	}
	return own[len(own)-1]
}

// complete gives parameters that a change has made active a random value half the
// time, otherwise their default, and leaves out what it has made inactive.
func (s *search) complete(c agent.Config) agent.Config {
	for _, p := range s.params {
		if _, ok := c[p.Name]; !ok && len(p.When) > 0 && s.rng.IntN(2) == 0 {
			c[p.Name] = s.draw(p)
		}
	}
	return s.canonical(c)
}

// canonical fills c and leaves out what is inactive under it. It does what
// [agent.Space.Canonical] does in a time that grows with the parameters, not with
// their square.
func (s *search) canonical(c agent.Config) agent.Config {
	var out []string
	for _, p := range s.space.Params {
		if _, ok := c[p.Name]; !ok {
			c[p.Name] = agent.Config{"": p.Default}.Clone()[""]
		}
	}
	for _, name := range s.conditional {
		if !s.space.Active(c, name) {
			out = append(out, name)
		}
	}
	for _, name := range out {
		delete(c, name)
	}
	return c
}

// same reports whether two configs of one space are equal.
func same(a, b agent.Config) bool {
	return maps.EqualFunc(a, b, func(v, w any) bool {
		list, ok := v.([]string)
		if !ok {
			return v == w
		}
		other, ok := w.([]string)
		return ok && slices.Equal(list, other)
	})
}

// joined names the operators that made a change, each once, in order.
func joined(names ...string) string {
	var out []string
	for _, n := range names {
		for one := range strings.SplitSeq(n, "+") {
			if !slices.Contains(out, one) {
				out = append(out, one)
			}
		}
	}
	return strings.Join(out, "+")
}

// tell words one change for the rationale.
func tell(name string, before, after any) string {
	if b, ok := before.(string); ok {
		a, _ := after.(string)
		if strings.Contains(a+b, "\n") || len(a)+len(b) > 80 {
			return name + " " + lineChange(b, a)
		}
	}
	return fmt.Sprintf("%s %s → %s", name, word(before), word(after))
}

func word(v any) string {
	switch v := v.(type) {
	case nil:
		return "–"
	case []string:
		return "[" + strings.Join(v, " ") + "]"
	case string:
		return fmt.Sprintf("%q", v)
	case float64:
		s := fmt.Sprint(v)
		if rest, ok := strings.CutPrefix(s, "0."); ok {
			return "." + rest
		}
		return s
	}
	return fmt.Sprint(v)
}
