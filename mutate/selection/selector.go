package selection

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Selector selects a parent from a non-empty list; list[0] is the champion. It returns the
// parent's index and the reason for the selection, with figures. It does not change its
// arguments, and equal candidates have equal probabilities.
type Selector func(list []Candidate, b Budget, rng *rand.Rand) (int, string)

// Default is the name of the default selection.
const Default = "clade"

// named is a selector with the name by which users choose it.
type named struct {
	name   string
	choose Selector
}

// table returns the selections, starting with the default.
func table() []named {
	return []named{
		{Default, clade},
		{HGM, hgm},
		{"dgm", dgm},
		{"pareto", pareto},
		{MapElites, mapElites},
		{"top_k", topK},
		{"random", random},
	}
}

// Names returns the names of the selections, starting with the default.
func Names() []string {
	var names []string
	for _, n := range table() {
		names = append(names, n.name)
	}
	return names
}

// Named returns the selector with the given name; "" means the default.
func Named(name string) (Selector, error) {
	if name == "" {
		name = Default
	}
	for _, n := range table() {
		if n.name == name {
			return sound(n.choose), nil
		}
	}
	return nil, fmt.Errorf("there is no selection %q; the selections are %s", name, strings.Join(Names(), ", "))
}

// MapElites is the name of the selection by MAP-Elites.
const MapElites = "map_elites"

// Within returns the selector with the given name for a population of programs that has
// its own islands, so that every list of candidates is one island. For [MapElites], a
// candidate's Cost is the size of the program, Latency is the program's time, and Domains
// are the program's scores on groups of cases. A cell is then a combination of size,
// speed and behaviour.
func Within(name string) (Selector, error) {
	if name == MapElites {
		return sound(elites), nil
	}
	return Named(name)
}

// sound wraps a selector so that a candidate whose mean is not finite is treated as if its
// mean were 0, the champion's mean, because nothing is known about the candidate.
func sound(choose Selector) Selector {
	return func(list []Candidate, b Budget, rng *rand.Rand) (int, string) {
		odd := func(c Candidate) bool { return math.IsNaN(c.Mean) || math.IsInf(c.Mean, 0) }
		if slices.ContainsFunc(list, odd) {
			list = slices.Clone(list)
			for i := range list {
				if odd(list[i]) {
					list[i].Mean = 0
				}
			}
		}
		return choose(list, b, rng)
	}
}

// who returns a short description of a candidate, for use in the stated reason for a
// choice.
func who(list []Candidate, at int) string {
	if at == 0 {
		return "the champion"
	}
	return fmt.Sprintf("%+.3f over the champion", list[at].Mean)
}
