package population

import (
	"cmp"
	"slices"

	"evolve/mutate/operator"
)

// least is the minimum probability of being better than the leader that a variant must have
// to get another stage.
const least = .2

// advance queues the next cases of the best variant that is not waiting for results and
// that deserves further cases. It returns false if there is no such variant.
func (s *search) advance() bool {
	if len(s.ready) == 0 || s.members[0].pending > 0 {
		return false
	}
	s.refresh()
	s.probe()
	s.reward()
	slices.SortFunc(s.ready, func(a, b *member) int {
		return cmp.Or(cmp.Compare(b.gain, a.gain), a.index-b.index)
	})
	for len(s.ready) > 0 {
		m := s.ready[0]
		s.ready = s.ready[1:]
		if !s.deserves(m) {
			continue // the variant gets no more cases, but it may still become a parent
		}
		s.stage(m)
		if len(s.queue) > 0 {
			return true
		}
	}
	return false
}

// deserves reports whether a variant gets further cases. A variant gets the cases of the
// first stage unless the probe dropped it, and the cases of a later stage if it may be
// better than the leader.
func (s *search) deserves(m *member) bool {
	switch {
	case m.index == 0 || m.left || m.stages == len(s.Stages):
		return false
	case m.probing():
		return true
	}
	return m.gain > 0 && m.beats(s.bar(m.stages)) >= least
}

// complete queues the evaluations that the best variants still lack in any of the stages,
// but only once the budget that is left is needed for them. The largest of hundreds of
// gains on ten cases is biased upwards, and must not decide which variant is confirmed.
// complete returns false while enough evaluations are left for other variants, and when
// the best variants lack none.
func (s *search) complete() bool {
	last := s.Stages[len(s.Stages)-1]
	if s.Budget-s.asked > s.Finalists*last {
		return false
	}
	s.refresh()
	lacking, need := []*member{}, s.lacks(s.members[0]) // gains are measured against the champion
	for _, m := range s.ranked() {
		if len(lacking) == s.Finalists || m.cautious() <= 0 {
			break
		}
		cases := s.lacks(m)
		if (need+cases)*leastShare > s.Budget && len(lacking) > 0 {
			break
		}
		lacking, need = append(lacking, m), need+cases
	}
	if s.Budget-s.asked-s.Stages[max(0, len(s.Stages)-2)] > need { // another stage would leave too few evaluations for these variants
		return false
	}
	for _, m := range lacking {
		for m.stages < len(s.Stages) { // all at once, because other variants would take the evaluations between stages
			s.stage(m)
		}
		if m.pending > 0 {
			s.ready = slices.DeleteFunc(s.ready, func(other *member) bool { return other == m })
		}
		if len(s.queue) > 0 {
			return true
		}
	}
	return false
}

// lacking reports whether a variant still has to be measured on a task. A result from an
// earlier night suffices if nothing has changed since. For the champion it does not
// suffice, because briefs show what the champion's program prints tonight.
func (s *search) lacking(m *member, task int) bool {
	return m.weights[task] < 1 || m == s.members[0] && s.earlier[task]
}

// lacks returns the number of cases, over all stages, for which a variant neither has a
// result nor waits for one.
func (s *search) lacks(m *member) int {
	n := 0
	for _, task := range s.order[m.issued:max(m.issued, s.Stages[len(s.Stages)-1])] {
		if s.lacking(m, task) {
			n++
		}
	}
	return n
}

// leastShare is the reciprocal of the maximum share of the budget that [search.complete]
// reserves for more than one variant.
const leastShare = 4

// whole reports whether a variant has been evaluated on the cases of all stages.
func (s *search) whole(m *member) bool { return m.stages == len(s.Stages) && m.pending == 0 }

// ranked returns the variants except the champion, best first. Of equally good variants,
// the smaller comes first.
func (s *search) ranked() []*member {
	out := slices.Clone(s.members[1:])
	slices.SortFunc(out, func(a, b *member) int {
		return cmp.Or(cmp.Compare(b.cautious(), a.cautious()), a.size-b.size, a.index-b.index)
	})
	return out
}

// bar returns the gain that a variant with the given number of stages has to exceed: the
// largest gain among the variants with more stages, but at least 0, the champion's gain.
func (s *search) bar(stages int) float64 {
	top := 0.
	for _, m := range s.members[1:] {
		if m.stages > stages && m.pending == 0 {
			top = max(top, m.gain)
		}
	}
	return top
}

// reward credits the operators of the variants that completed their first stage or were
// dropped after the probe.
func (s *search) reward() {
	for _, m := range s.ready {
		if m.rewarded || m.scale == 0 || m.probing() && !m.left {
			continue
		}
		m.rewarded = true
		reference := 0.
		for _, id := range m.parents {
			reference = max(reference, s.byID[id].gain)
		}
		s.bandit.Reward(m.operator, m.scale, operator.Credit(m.gain-reference, -1))
	}
}
