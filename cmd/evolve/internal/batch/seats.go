package batch

import "evolve/mutate/night"

// mostBeside is the maximum number of agents that run side by side: the search of each keeps its
// state in memory.
const mostBeside = 8

// seat is the place of an agent's night among those of a run.
type seat struct {
	// agent is the index of the agent.
	agent int
	// beside is the number of nights at once, with this one.
	beside int
	// rounds is the number of nights one after another from this one on: it has that part of the
	// time that is left.
	rounds int
}

// seats returns the places of agents, in the order in which their nights begin: side by side, and
// after them each that runs alone.
func (r *runner) seats(agents []int) []seat {
	var together, alone []seat
	for _, i := range agents {
		if r.alone(i) {
			alone = append(alone, seat{agent: i, beside: 1})
		} else {
			together = append(together, seat{agent: i})
		}
	}
	most := r.most(agents)
	rounds := (len(together)+most-1)/most + len(alone)
	for k := range together {
		at := k / most
		together[k].beside, together[k].rounds = min(most, len(together)-at*most), rounds-at
	}
	for k := range alone {
		alone[k].rounds = len(alone) - k
	}
	return append(together, alone...)
}

// alone reports whether no other agent may run beside the one at an index: builds and tests of
// code use all processors, and a time is longer beside other evaluations.
func (r *runner) alone(agent int) bool { return r.o.Code.Found[r.agents[agent].ID] != nil }

// most returns the number of these agents that run at once, at least 1.
func (r *runner) most(agents []int) int {
	n := 0
	for _, i := range agents {
		if !r.alone(i) {
			n++
		}
	}
	return max(1, min(n, r.run.Concurrency, mostBeside))
}

// part returns the number of evaluations at once that the agent can count on.
func (s seat) part(concurrency int) int { return night.PartOf(max(1, concurrency), s.beside) }
