package mutate

import "math"

// baseline is the random search that runs beside, on a share of the budget. Its
// results feed the model, but nothing feeds it: random configs get a few evaluations
// each with two thirds of its budget, and then the best means get one after another,
// on tasks that the search's leader has had: in the end the two are compared.
type baseline struct {
	share       float64
	asked, told int
	arms        []*arm
}

// baselineShare is the option's value, a tenth when it is 0 and none when negative.
func baselineShare(o float64) float64 {
	switch {
	case o == 0:
		return 0.1
	case !(o > 0): // negative, or no number
		return 0
	}
	return math.Min(o, 1)
}

// due reports whether the baseline is behind its share.
func (b *baseline) due(spent int) bool {
	return float64(b.asked) < b.share*float64(spent+1)-0.5
}

// each is how many evaluations a random variant gets at first.
func (b *baseline) each(budget int) int { return max(1, int(math.Sqrt(b.share*float64(budget))/6)) }

// nextRandom is the baseline's arm that gets its next evaluation; nil when none can.
func (s *search) nextRandom() *arm {
	b := &s.baseline
	each := b.each(s.budget)
	if n := len(b.arms); n > 0 && b.arms[n-1].asked < each && s.open(b.arms[n-1]) {
		return b.arms[n-1]
	}
	if 3*b.asked < 2*int(b.share*float64(s.budget)) {
		for range 20 {
			p := s.random()
			if _, known := s.byID[p.config.ID()]; !known {
				a := s.add(p, true)
				b.arms = append(b.arms, a)
				return a
			}
		}
	}
	var best *arm
	for _, a := range b.arms {
		if s.open(a) && (best == nil || a.bound() > best.bound()) {
			best = a
		}
	}
	return best
}

// bound is the mean score with one success to come and a half before; a simple upper
// bound that makes many look at what has few.
func (a *arm) bound() float64 {
	return (a.score+0.5)/float64(a.scored+1) + 0.5/math.Sqrt(float64(1+a.asked))
}

// best is the arm with the best mean score; nil when nothing is known.
func (b *baseline) best() *arm {
	var best *arm
	for _, a := range b.arms {
		if a.scored > 0 && (best == nil || a.mean() > best.mean()) {
			best = a
		}
	}
	return best
}

// mean is the mean score, shrunk by two evaluations of half a success.
func (a *arm) mean() float64 { return (a.score + 1) / float64(a.scored+2) }
