package operator

import (
	"math/rand/v2"
	"strings"

	"evolve/mutate/selection"
	"evolve/runtime/agent"
)

// single changes parameters of one kind independently of each other. It changes one
// parameter; after each change it changes another one with probability Scale/2, up to
// mostChanges parameters in all. It prefers parameters of domains in which the parent
// fails.
type single struct {
	name   string
	serves func(agent.Param) bool
	// change returns a new value, or false if there is none. It never changes its input.
	change func(p agent.Param, old any, scale float64, rng *rand.Rand) (any, bool)
}

const mostChanges = 4

func (o single) Name() string { return o.name }

func (o single) Make(s FailureContext, rng *rand.Rand) (Child, bool) {
	c, scale := s.Parent.Clone(), s.scale()
	var told []string
	for n := range mostChanges {
		if n > 0 && rng.Float64() >= scale/2 {
			break
		}
		var able []agent.Param
		var weights []float64
		for _, p := range s.Space.Params {
			if _, active := c[p.Name]; active && o.serves(p) {
				able, weights = append(able, p), append(weights, attention(p, s.Failures))
			}
		}
		if len(able) == 0 {
			break
		}
		p := able[selection.Draw(weights, rng)]
		before := c[p.Name]
		if v, ok := o.change(p, before, scale, rng); ok {
			c[p.Name] = v
			c = complete(s.Space, c, rng) // for parameters that the change activated or deactivated
			told = append(told, describeChange(p.Name, before, v))
		}
	}
	if same(c, s.Parent) {
		return Child{}, false
	}
	return Child{Config: c, Operator: o.name, Rationale: strings.Join(told, " · ")}, true
}

// scale returns the operator's own scale, or 1 if it is missing or invalid.
func (s FailureContext) scale() float64 {
	if s.Scale > 0 && s.Scale <= 1 {
		return s.Scale
	}
	return 1
}
