package mutate

import "math"

// baseline is a random search that uses a share of the budget. Its results are added to
// the model, but its choices do not depend on the model. Two thirds of its budget give a
// few evaluations to each of many random configs. The rest goes to the configs with the
// best means, on tasks on which the search's leader has been evaluated, because the best
// random config is compared with the leader in the end.
type baseline struct {
	share          float64
	asked, results int
	variants       []*variantStats
}

// baselineShare returns the baseline's share of the budget for the value of the option: a
// tenth for 0, and none for negative values.
func baselineShare(o float64) float64 {
	switch {
	case o == 0:
		return 0.1
	case !(o > 0): // negative or NaN
		return 0
	}
	return math.Min(o, 1)
}

// due reports whether the baseline has received less than its share of the evaluations so
// far.
func (b *baseline) due(spent int) bool {
	return float64(b.asked) < b.share*float64(spent+1)-0.5
}

// each returns the number of evaluations that a random variant gets at first.
func (b *baseline) each(budget int) int { return max(1, int(math.Sqrt(b.share*float64(budget))/6)) }

// nextRandom returns the variant of the baseline that gets the next evaluation; nil if
// there is no such variant.
func (s *search) nextRandom() *variantStats {
	b := &s.baseline
	each := b.each(s.budget)
	if n := len(b.variants); n > 0 && b.variants[n-1].asked < each && s.open(b.variants[n-1]) {
		return b.variants[n-1]
	}
	if 3*b.asked < 2*int(b.share*float64(s.budget)) {
		for range 20 {
			p := s.random()
			if _, known := s.byID[p.config.ID()]; !known {
				a := s.add(p, true)
				b.variants = append(b.variants, a)
				return a
			}
		}
	}
	var best *variantStats
	for _, a := range b.variants {
		if s.open(a) && (best == nil || a.bound() > best.bound()) {
			best = a
		}
	}
	return best
}

// bound returns a variant's mean score over its evaluations and one additional evaluation
// with half a success, plus half the inverse square root of the number of evaluations. It
// is a simple upper confidence bound that prefers variants with few evaluations.
func (a *variantStats) bound() float64 {
	return (a.score+0.5)/float64(a.scored+1) + 0.5/math.Sqrt(float64(1+a.asked))
}

// best returns the variant with the best mean score; nil if there are no scores.
func (b *baseline) best() *variantStats {
	var best *variantStats
	for _, a := range b.variants {
		if a.scored > 0 && (best == nil || a.mean() > best.mean()) {
			best = a
		}
	}
	return best
}

// mean returns the mean score, shrunk by two additional evaluations with half a success
// each.
func (a *variantStats) mean() float64 { return (a.score + 1) / float64(a.scored+2) }
