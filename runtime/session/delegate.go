package session

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"evolve/runtime/text"
)

// unknownCompetence is the competence assumed for an agent without a history.
const unknownCompetence = .5

// Suggest returns a suggestion to use another agent that is better suited to a task's
// domain, and reports whether there is one. The agent's own competence must be less than
// the limit below (.3 by default), and the other agent's competence must be greater than
// the limit above (.6 by default). The suggestion names the best agent; if several agents
// are equally good, it names the one that is first by name. Competences are in [0.1,1];
// zero and NaN mean that there is no history, and count as .5. Suggest does not redirect
// the task.
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
	return fmt.Sprintf("The agent %s has a competence of %.2f in this domain, and this agent has %.2f: consider delegating the task.",
		text.Clip(clean(name), 100, text.Runes), best, own), true
}

func competence(c float64) float64 {
	if math.IsNaN(c) || c <= 0 {
		return unknownCompetence
	}
	return min(c, 1)
}
