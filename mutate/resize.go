package mutate

// Resize changes the total number of evaluations that the search may ask for, including
// those already asked for. If the new budget is already spent, the search ends; a larger
// budget continues the search, even after Done. Resize adjusts the first evaluations of a
// variant, the design, the race and the baseline: variants that have not had their first
// evaluations get the number in the new plan, and a design that was started is shortened or
// extended to its new size. An equal budget changes nothing.
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
	s.finalFit()
}

// planned returns the plan for the part of the budget that remains after the random
// baseline's share.
func (s *search) planned() plan {
	p := newPlan(float64(s.budget)*(1-s.baseline.share), len(s.tasks), s.repeats, s.demoPool.Shows())
	if s.breeding.patient {
		p.design = min(p.design, patientDesign) // most variants are then made by selection, as children
	}
	return p
}

// redesign adjusts the size of the design. Variants that were already entered stay.
// Points are added only while the search has made no more variants than the new design
// has points, because with more variants the model proposes better points.
func (s *search) redesign(was int) {
	switch more := s.plan.design - was; {
	case more < 0:
		s.design = s.design[:max(0, len(s.design)+more)]
	case s.made <= s.plan.design:
		s.fill(min(more, s.plan.design-s.made-len(s.design)))
	}
}
