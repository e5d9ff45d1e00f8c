package mutate

import (
	"math"
)

// A new variant is the most promising of a litter: a few random configs, children
// of the parents, then mutants of the best so far. By BenchmarkRegret each matters:
// without the mutants of the best, with half the explorers below, or with an
// optimism of 1.5, regret is 5 to 15 % higher.
const (
	strangers = 4
	children  = 12
	refined   = 16
	// optimism bounds the standard deviations that uncertainty is worth.
	optimism = 2.5
	// strayShare is one in so many variants drawn at random all along.
	strayShare = 12
)

// explorers is how many variants are drawn at random before any is bred.
func (s *search) explorers() int {
	return int(clamp(2*math.Sqrt(float64(s.budget)), 4, 60))
}

// propose makes a config: at random for the baseline and at the start, otherwise
// from parents, with the surrogate's choice once there is one.
func (s *search) propose(baseline bool) (child, []*arm) {
	switch {
	case baseline, s.made >= 2 && s.made < s.explorers(), s.rng.IntN(strayShare) == 0:
		return s.random(), nil
	case s.made < 2: // the champion's own neighbours first
		if c, ok := s.mutant(s.champion.config); ok {
			return c, []*arm{s.champion}
		}
		return child{}, nil
	case s.trained:
		return s.litter()
	}
	return s.breed()
}

// litter breeds candidates and picks by the surrogate's mean plus some standard
// deviations; how many varies, so that some variants are good and others teach.
func (s *search) litter() (child, []*arm) {
	kappa := optimism * s.rng.Float64()
	var pick child
	var parents []*arm
	top := math.Inf(-1)
	// A candidate costs time in proportion to the dimensions, and where there are
	// thousands of variants each of them matters less.
	size := min(strangers+children+refined, max(4, min(1200/len(s.encoder), 32_000/len(s.arms))))
	first := size * strangers / (strangers + children + refined)
	bred := size * (strangers + children) / (strangers + children + refined)
	for i := range size {
		c, from := child{}, []*arm(nil)
		switch {
		case i < first:
			c = s.random()
		case i < bred:
			c, from = s.breed()
		case pick.config != nil:
			c, from = s.refine(pick), parents
		}
		if c.config == nil {
			continue
		}
		mean, variance := s.model.predict(s.encoder.encode(c.config))
		v := mean + kappa*math.Sqrt(variance)
		if v <= top {
			continue
		}
		if _, known := s.byID[c.config.ID()]; !known {
			pick, parents, top = c, from, v
		}
	}
	return pick, parents
}

// refine mutates a child once more and goes on with its story.
func (s *search) refine(c child) child {
	next, ok := s.mutant(c.config)
	if !ok {
		return child{}
	}
	next.operator = joined(c.operator, next.operator)
	next.rationale = c.rationale + " · " + next.rationale
	return next
}

// breed changes one parent or crosses two.
func (s *search) breed() (child, []*arm) {
	pool := s.parents()
	at, why := s.selector(s.candidates, s.rng)
	parent := pool[at]
	if len(pool) > 1 && s.rng.IntN(2) == 0 {
		other, _ := s.selector(s.candidates, s.rng)
		if other != at {
			if c, ok := s.cross(parent, pool[other]); ok {
				c.rationale += " (" + why + ")"
				return c, []*arm{parent, pool[other]}
			}
		}
	}
	c, ok := s.mutant(parent.config)
	if !ok {
		return child{}, nil
	}
	c.rationale += " (" + why + ")"
	return c, []*arm{parent}
}

// parents are the champion and the best variants with a finished first rung. They
// are looked up anew when the variants have grown by a few or the model has changed.
func (s *search) parents() []*arm {
	const keep = 16
	if len(s.arms) >= s.poolAt {
		s.poolAt = len(s.arms) + 1 + len(s.arms)/64
		s.pool = append(s.pool[:0], s.champion)
		s.pool = append(s.pool, best(nil, s.arms, keep, func(a *arm) bool {
			return a.scored > 0 && a.told >= min(a.target, s.main.rungs[0]) && a != s.champion
		})...)
	}
	s.candidates = s.candidates[:0]
	for _, a := range s.pool {
		s.candidates = append(s.candidates, Candidate{Score: s.level + a.mean, Children: a.children})
	}
	return s.pool
}
