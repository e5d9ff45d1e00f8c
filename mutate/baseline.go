package mutate

import "math"

// baseline is a random search on a share of the budget. Its results feed the model, but
// do not depend on it. Two thirds of its budget give a few evaluations each to random
// configs; the rest goes to those with the best means, on tasks that the search's leader
// has had, since the two are compared in the end.
type baseline struct {
	share          float64
	asked, results int
	variants       []*variantStats
}

// baselineShare returns the share for the option's value: a tenth for 0 and none for
// negative values.
func baselineShare(o float64) float64 {
	switch {
	case o == 0:
		return 0.1
	case !(o > 0): // negative or NaN
		return 0
	}
	return math.Min(o, 1)
}

// due reports whether the baseline is behind its share.
func (b *baseline) due(spent int) bool {
	return float64(b.asked) < b.share*float64(spent+1)-0.5
}

// each returns the number of first evaluations of a random variant.
func (b *baseline) each(budget int) int { return max(1, int(math.Sqrt(b.share*float64(budget))/6)) }

// nextRandom returns the baseline's variant that gets the next evaluation; nil when none can.
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

// bound returns the mean score with half a success added, plus half an inverse root of
// the evaluations: a simple upper confidence bound that prefers variants with few
// evaluations.
func (a *variantStats) bound() float64 {
	return (a.score+0.5)/float64(a.scored+1) + 0.5/math.Sqrt(float64(1+a.asked))
}

// best returns the variant with the best mean score; nil when nothing is scored.
func (b *baseline) best() *variantStats {
	var best *variantStats
	for _, a := range b.variants {
		if a.scored > 0 && (best == nil || a.mean() > best.mean()) {
			best = a
		}
	}
	return best
}

// mean returns the mean score, shrunk by two evaluations with half a success each.
func (a *variantStats) mean() float64 { return (a.score + 1) / float64(a.scored+2) }
