package mutate

// Resize changes the number of evaluations that the search may ask for in all, those
// asked for already included. A budget that is spent ends the search; a larger one lets
// it go on, also after Done. The first evaluations of a variant, the design, the race
// and the baseline follow: variants that have not had their first evaluations get as
// many as the new plan gives, a design that was begun is cut to its new size or filled
// up, and what is spent stays spent. The same budget again changes nothing.
func (s *search) Resize(budget int) {
	if budget = max(1, budget); budget == s.budget {
		return
	}
	was := s.plan
	s.budget = budget
	s.plan = s.planned()
	for _, a := range s.queue {
		switch {
		case a == s.champion:
			a.target = min(2*s.plan.first, s.capacity())
		case a.target == was.first:
			a.target = s.plan.first
		}
	}
	s.redesign(was.design)
	s.lastWord()
}

// planned shares out the budget that is no random baseline's.
func (s *search) planned() plan {
	return newPlan(float64(s.budget)*(1-s.baseline.share), len(s.tasks), s.repeats)
}

// redesign gives the design its new size. What was entered of it stays; more is laid out
// only while the search has made no more variants than the new design has, since later
// the model knows better where to look.
func (s *search) redesign(was int) {
	switch more := s.plan.design - was; {
	case more < 0:
		s.design = s.design[:max(0, len(s.design)+more)]
	case s.made <= s.plan.design:
		s.fill(min(more, s.plan.design-s.made-len(s.design)))
	}
}
