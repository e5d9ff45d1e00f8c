package batch

import "evolve/mutate/night"

// mostBeside is the maximum number of agents that run side by side. It is limited because
// the search of each agent keeps its state in memory.
const mostBeside = 8

// seat is the position of an agent's night among the nights of a run.
type seat struct {
	// agent is the index of the agent.
	agent int
	// beside is the number of nights that run at once, including this one.
	beside int
	// rounds is the number of rounds from this night's round on. The rounds run one after
	// another, so this night gets 1/rounds of the remaining time.
	rounds int
}

// seats returns the seats of agents in the order in which their nights begin: first those
// of the agents that run side by side, then those of the agents that run alone.
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

// alone reports whether no other agent may run at the same time as the agent at the given
// index. This is the case if that agent's code is searched, because builds and tests use
// all processors, and evaluations take longer while others run.
func (r *runner) alone(agent int) bool { return r.o.Code.Found[r.agents[agent].ID] != nil }

// most returns the maximum number of the given agents that run at once; it is at least 1.
func (r *runner) most(agents []int) int {
	n := 0
	for _, i := range agents {
		if !r.alone(i) {
			n++
		}
	}
	return max(1, min(n, r.run.Concurrency, mostBeside))
}

// part returns the number of simultaneous evaluations that the agent can count on.
func (s seat) part(concurrency int) int { return night.PartOf(max(1, concurrency), s.beside) }
