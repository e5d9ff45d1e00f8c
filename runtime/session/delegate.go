package session

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// unknownCompetence stands for no history.
const unknownCompetence = .5

// Suggest says which other agent is better suited to a task's domain, and whether
// there is such a suggestion: the own competence is below one mark (.3 by
// default) and another's above the other (.6). The best is named, of equal ones
// the first by name. Competences are in [0.1,1]; zero and what is no number stand
// for no history and count as .5. A suggestion is all it is: nothing is
// redirected.
func Suggest(own float64, others map[string]float64, below, above float64) (suggestion string, ok bool) {
	own = competence(own)
	if !(own < below) {
		return "", false
	}
	name, best := "", 0.
	for _, n := range slices.Sorted(maps.Keys(others)) {
		if c := competence(others[n]); c > above && c > best {
			name, best = n, c
		}
	}
	if best == 0 {
		return "", false
	}
	return fmt.Sprintf("The agent %s has a competence of %.2f in this domain, this one %.2f: consider delegating the task.",
		cutRunes(clean(name), 100), best, own), true
}

func competence(c float64) float64 {
	if math.IsNaN(c) || c <= 0 {
		return unknownCompetence
	}
	return min(c, 1)
}
