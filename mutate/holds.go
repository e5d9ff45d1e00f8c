package mutate

import (
	"slices"

	"evolve/mutate/irt"
)

// pastNight is an earlier night. Where the agent has changed since, its results mislead more
// than no results would. A change of the agent's folder or version is known, but a provider
// may change its model silently. So tonight's results decide, and a known change only
// determines where the decision begins.
type pastNight struct {
	// odds are the log odds that the night holds, before tonight's results.
	odds float64
	// holds reports whether the night's results are in the model.
	holds bool
}

// The log odds that a night holds: of 19 to 1 for the same agent, and of 7 to 3 for one that
// is known to have changed. The latter is left out until tonight's results support it.
const (
	oddsSameAgent  = 2.94
	oddsOtherAgent = 0.85
)

// newPastNight returns an earlier night before tonight's results.
func newPastNight(changed bool) pastNight {
	if changed {
		return pastNight{odds: oddsOtherAgent}
	}
	return pastNight{odds: oddsSameAgent, holds: true}
}

// testNights decides by tonight's results, when there are enough new ones, which earlier
// nights hold.
func (s *search) testNights() {
	// At 4 results, and each time after a fifth more.
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
			s.posterior.learnt = 0 // the hyperparameters are to be learnt again, from fewer items
		}
	}
	s.restore()
}

// held returns the configs of the earlier nights that hold.
func (s *search) held() []*past {
	return slices.DeleteFunc(slices.Clone(s.history), func(h *past) bool { return !s.nights[h.night].holds })
}

// item returns the config as an item of the model.
func (h *past) item() irt.Item {
	return irt.Item{Point: h.point, Cells: h.cells, Ability: h.ability}
}

// spare returns the number of points of a design that the history replaces, up to two thirds:
// regions that are known need no exploration.
func (s *search) spare(design int) int {
	total := 0.0
	for _, h := range s.held() {
		total += h.weight
	}
	return min(design*2/3, int(total/float64(2*s.plan.first)))
}

// restore returns to the design what the history does not replace any more.
func (s *search) restore() {
	left := min(len(s.replaced), s.spare(s.plan.design))
	s.design = append(s.design, s.replaced[left:]...)
	s.replaced = s.replaced[:left]
}
