package operator

import (
	"maps"
	"math/rand/v2"
	"slices"

	"evolve/runtime/agent"
)

// Canonical adds the defaults of absent parameters to c and removes inactive parameters. It
// changes c and returns it. If c has no undeclared parameters, it is equivalent to
// [agent.Space.Canonical] but takes linear instead of quadratic time.
func Canonical(space agent.Space, c agent.Config) agent.Config {
	var out []string
	for _, p := range space.Params {
		if _, ok := c[p.Name]; !ok {
			c[p.Name] = clone(p.Default)
		}
	}
	for _, p := range space.Params {
		if len(p.When) > 0 && !space.Active(c, p.Name) {
			out = append(out, p.Name)
		}
	}
	for _, name := range out {
		delete(c, name)
	}
	return c
}

// complete gives a value to each parameter that a change has activated: half the time a
// random value, and otherwise the default. It removes parameters that the change has
// deactivated. It changes c and returns it.
func complete(space agent.Space, c agent.Config, rng *rand.Rand) agent.Config {
	for _, p := range space.Params {
		if _, ok := c[p.Name]; !ok && len(p.When) > 0 && !Fixed(p) && rng.IntN(2) == 0 {
			c[p.Name] = draw(p, p.Default, rng)
		}
	}
	return Canonical(space, c)
}

// same reports whether two configs of one space are equal.
func same(a, b agent.Config) bool { return maps.EqualFunc(a, b, equal) }

// equal reports whether two values of a parameter are equal.
func equal(v, w any) bool {
	list, ok := v.([]string)
	if !ok {
		_, odd := w.([]string)
		return !odd && v == w
	}
	other, ok := w.([]string)
	return ok && slices.Equal(list, other)
}

// clone copies a value.
func clone(v any) any {
	if list, ok := v.([]string); ok {
		return append([]string{}, list...)
	}
	return v
}
