package mutate

import (
	"cmp"
	"slices"
)

const (
	// aloneVariance is the prior variance of the ability that is estimated from a variant's
	// own results. The prior mean is the ability according to the model.
	aloneVariance = 4
	// enoughEach is the number of evaluations per config that the budget must allow for the
	// space to count as small.
	enoughEach = 2
)

// small reports whether the budget suffices for several evaluations of every config in the
// space. Until a variant has many results, the model assumes that it is about as good as
// its neighbours, so a single good config among poor ones would be tried and then
// abandoned. In a small space, the variants' own results therefore decide part of the race.
func (s *search) small() bool {
	configs := s.configs()
	return configs > 0 && enoughEach*configs <= s.budget
}

// configs returns the number of combinations in the space if the space can be enumerated,
// and 0 if it is too large.
func (s *search) configs() int {
	if s.values == nil {
		s.values = s.everyValue()
	}
	if len(s.values) < len(s.countable()) {
		return 0
	}
	total := 1
	for _, v := range s.values {
		total *= len(v)
	}
	return total
}

// alone returns a variant's ability as estimated from its own results.
func (s *search) alone(a *variantStats) float64 {
	ability, _ := s.posterior.model.Own(s.merged(a), a.ability, a.ability, aloneVariance)
	return ability
}

// outstanding returns at most maxLeaders variants from a list: those that are best by their
// own results, best first.
func (s *search) outstanding(list []*variantStats) []*variantStats {
	value := make(map[*variantStats]float64, len(list))
	for _, a := range list {
		value[a] = s.alone(a)
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *variantStats) int { return cmp.Compare(value[b], value[a]) })
	return list[:min(len(list), maxLeaders)]
}

// bestAlone returns the variant that is best by its own results among those that are open
// and have no evaluation in progress; nil if there is none.
func (s *search) bestAlone() *variantStats {
	var best *variantStats
	most := 0.0
	for _, a := range s.posterior.outstanding {
		if a.asked > a.results || !s.open(a) {
			continue
		}
		if v := s.alone(a); best == nil || v > most {
			best, most = a, v
		}
	}
	return best
}
