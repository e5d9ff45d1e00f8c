package operator

import (
	"maps"
	"math/rand/v2"
	"slices"

	"evolve/runtime/agent"
)

// Canonical fills c with the defaults of absent parameters and leaves out what is
// inactive under it. It changes c and returns it. It does what
// [agent.Space.Canonical] does in a time that grows with the parameters, not with
// their square, for a c that holds nothing undeclared.
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

// complete gives parameters that a change has made active a random value half the
// time, otherwise their default, and leaves out what it has made inactive. It changes
// c and returns it.
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

// equal compares two values of one parameter.
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
