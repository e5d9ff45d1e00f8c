package mutate

import (
	"slices"

	"evolve/mutate/irt"
)

// pastNight is an earlier night. It holds if its results still apply to the agent. If the
// agent has changed since, they can mislead the search more than having no results would. A
// change to the agent's folder or version is known, but a provider may change its model
// silently. Tonight's results therefore decide whether the night holds, and a known change
// determines only the prior odds.
type pastNight struct {
	// odds is the log odds that the night holds, before tonight's results.
	odds float64
	// holds reports whether the night's results are in the model.
	holds bool
}

// The log odds that the results of an earlier night still apply: 19 to 1 for the same
// agent, and 7 to 3 for an agent that is known to have changed. An earlier night of a
// changed agent is left out until tonight's results support it.
const (
	oddsSameAgent  = 2.94
	oddsOtherAgent = 0.85
)

// newPastNight returns the state of an earlier night before tonight's results; changed is
// set if the agent is known to have changed since.
func newPastNight(changed bool) pastNight {
	if changed {
		return pastNight{odds: oddsOtherAgent}
	}
	return pastNight{odds: oddsSameAgent, holds: true}
}

// testNights decides, based on tonight's results, which earlier nights still hold. It
// does so whenever there are enough new results.
func (s *search) testNights() {
	// Test at 4 results, and again whenever their number has grown by a fifth plus 4.
	if len(s.nights) == 0 || 5*s.results < 6*s.nightsTested+20 {
		return
	}
	s.nightsTested = s.results
	var tonight []irt.Item
	for _, a := range s.posterior.variants {
		if a.scored > 0 {
			tonight = append(tonight, irt.Item{Point: a.point, Cells: a.scores(), Ability: a.ability})
		}
	}
	for i := range s.nights {
		n := &s.nights[i]
		var earlier []irt.Item
		for _, h := range s.history {
			if h.night == i {
				earlier = append(earlier, h.item())
			}
		}
		before := n.holds
		n.holds = n.odds+s.posterior.model.Support(tonight, earlier) > 0
		if before && !n.holds {
			s.posterior.learnt = 0 // the hyperparameters must be learnt again, from fewer items
		}
	}
	s.restore()
}

// held returns the configs from those earlier nights whose results still apply.
func (s *search) held() []*past {
	return slices.DeleteFunc(slices.Clone(s.history), func(h *past) bool { return !s.nights[h.night].holds })
}

// item returns the config as an item of the model.
func (h *past) item() irt.Item {
	return irt.Item{Point: h.point, Cells: h.cells, Ability: h.ability}
}

// spare returns the number of points in a design that the history replaces, at most two
// thirds of them, because known regions need no exploration.
func (s *search) spare(design int) int {
	total := 0.0
	for _, h := range s.held() {
		total += h.weight
	}
	return min(design*2/3, int(total/float64(2*s.plan.first)))
}

// restore returns to the design the points that the history no longer replaces.
func (s *search) restore() {
	left := min(len(s.replaced), s.spare(s.plan.design))
	s.design = append(s.design, s.replaced[left:]...)
	s.replaced = s.replaced[:left]
}
