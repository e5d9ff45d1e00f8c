package operator

import (
	"math/rand/v2"

	"evolve/runtime/agent"
)

// Random draws a config uniformly, with each number drawn on its parameter's own scale.
// Fixed parameters and lines that a person wrote remain as they are in the champion.
func Random(space agent.Space, champion agent.Config, rng *rand.Rand) agent.Config {
	c := make(agent.Config, len(space.Params))
	for _, p := range space.Params {
		v, ok := champion[p.Name]
		if !ok {
			v = p.Default
		}
		if !Fixed(p) {
			v = draw(p, v, rng)
		}
		c[p.Name] = clone(v)
	}
	return Canonical(space, c)
}

// Fixed reports whether operators can give a parameter only one value.
func Fixed(p agent.Param) bool {
	switch p.Kind {
	case agent.Float, agent.Int:
		return p.Min == p.Max
	case agent.Choice:
		return len(p.Values) < 2
	case agent.Subset:
		return p.MinItems >= len(p.Of)
	case agent.Text:
		return len(Offered(p)) == 0
	}
	return false
}

// draw returns a random value for a parameter. A text retains those lines of the old text
// that are not among the offered lines.
func draw(p agent.Param, old any, rng *rand.Rand) any {
	switch p.Kind {
	case agent.Float, agent.Int:
		return FromUnit(p, rng.Float64())
	case agent.Choice:
		return p.Values[rng.IntN(len(p.Values))]
	case agent.Bool:
		return rng.IntN(2) == 0
	case agent.Subset:
		return drawSubset(p, rng)
	case agent.Text:
		text, _ := old.(string)
		return drawText(p, text, rng)
	}
	return p.Default
}

// drawSubset draws the size uniformly between its bounds, and then the members.
func drawSubset(p agent.Param, rng *rand.Rand) []string {
	size := p.MinItems + rng.IntN(most(p)-p.MinItems+1)
	chosen := map[string]bool{}
	for _, i := range rng.Perm(len(p.Of))[:size] {
		chosen[p.Of[i]] = true
	}
	return members(p, func(m string) bool { return chosen[m] })
}

// drawText retains the lines of a text that are not offered and adds up to three offered
// lines.
func drawText(p agent.Param, text string, rng *rand.Rand) string {
	lines := Offered(p)
	for _, l := range lines {
		text = dropLine(text, l)
	}
	want := rng.IntN(4)
	for _, i := range rng.Perm(len(lines)) {
		if next := addLine(text, lines[i]); want > 0 && fits(p, next) {
			text, want = next, want-1
		}
	}
	return text
}
