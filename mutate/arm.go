package mutate

import (
	"math"

	"evolve/runtime/agent"
)

// arm is what the search keeps of one variant.
type arm struct {
	index      int
	id         agent.ConfigID
	config     agent.Config
	parents    []agent.ConfigID
	operator   string
	generation int
	rationale  string
	// baseline arms belong to the random baseline; their results feed the rest,
	// but nothing of the rest feeds them.
	baseline bool
	children int

	// repeats is the next repeat of each task; fewest is the least of them, and so
	// many tasks are at it.
	repeats  []uint16
	fewest   int
	atFewest int
	// asked, told and scored count evaluations.
	asked, told, scored int
	// score sums the scores themselves, residual score − task effect.
	score, residual float64
	// target is how many evaluations it is to get for now; rung the step of the
	// ladder that it stands on.
	target, rung int
	// waits is the rung it has finished, counted from 1.
	waits int

	// mean and variance are the posterior of the arm's effect; see effects.go.
	mean, variance float64
}

// add makes a config an arm, or returns the one it is already.
func (s *search) add(c child, parents []*arm, baseline bool) (*arm, bool) {
	id := c.config.ID()
	if a, ok := s.byID[id]; ok {
		return a, false
	}
	a := &arm{
		index: len(s.arms), id: id, config: c.config, operator: c.operator, rationale: c.rationale,
		baseline: baseline, repeats: make([]uint16, len(s.tasks)), atFewest: len(s.tasks),
	}
	for _, p := range parents {
		a.parents = append(a.parents, p.id)
		a.generation = max(a.generation, p.generation+1)
		p.children++
	}
	a.mean, a.variance = s.prior(a)
	s.arms = append(s.arms, a)
	s.byID[id] = a
	return a, true
}

// open reports whether an arm can take another evaluation.
func (s *search) open(a *arm) bool { return a.fewest < s.repeats }

// advance notes that a task's repeats below next are taken.
func (a *arm) advance(task, next int) {
	if next <= int(a.repeats[task]) || next > math.MaxUint16 {
		return
	}
	if int(a.repeats[task]) == a.fewest {
		a.atFewest--
	}
	a.repeats[task] = uint16(next)
	if a.atFewest > 0 {
		return
	}
	a.fewest = math.MaxUint16
	for _, n := range a.repeats {
		switch {
		case int(n) < a.fewest:
			a.fewest, a.atFewest = int(n), 1
		case int(n) == a.fewest:
			a.atFewest++
		}
	}
}
