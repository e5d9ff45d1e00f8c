package mutate

import (
	"cmp"
	"slices"
)

// surpriseVariance is the prior variance of a variant's deviation from its neighbours in its
// ability by its own results.
const surpriseVariance = 4

// alone returns a variant's ability by its own results, which starts from that of the model.
// The model takes a variant for about as good as its neighbours, until it has many results:
// a single good config among poor ones would never lead.
func (s *search) alone(a *variantStats) float64 {
	ability, _ := s.posterior.model.Own(s.merged(a), a.ability, a.ability, surpriseVariance)
	return ability
}

// outliers divides variants, in descending order of ability, into the leaders and those of
// the others that are the best by their own results.
func (s *search) outliers(list []*variantStats) (leaders, outliers []*variantStats) {
	leaders, rest := list[:min(len(list), maxLeaders)], list[min(len(list), maxLeaders):]
	type valued struct {
		*variantStats
		alone float64
	}
	values := make([]valued, len(rest))
	for i, a := range rest {
		values[i] = valued{a, s.alone(a)}
	}
	slices.SortStableFunc(values, func(a, b valued) int { return cmp.Compare(b.alone, a.alone) })
	for _, v := range values[:min(len(values), maxLeaders)] {
		outliers = append(outliers, v.variantStats)
	}
	return leaders, outliers
}

// surprising returns the outlier or leader that is the best by its own results and has no
// evaluation under way; nil when there is none.
func (s *search) surprising() *variantStats {
	var best *variantStats
	most := 0.0
	for _, list := range [][]*variantStats{s.posterior.leaders, s.posterior.outliers} {
		for _, a := range list {
			if a == s.champion || a.asked > a.results || !s.open(a) {
				continue
			}
			if v := s.alone(a); best == nil || v > most {
				best, most = a, v
			}
		}
	}
	return best
}
