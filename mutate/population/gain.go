package population

import (
	"math"
	"slices"
)

const (
	// priorVariance is the variance of one paired difference before there are results, and
	// priorWeight is the weight of a variant's prior variance, expressed as a number of
	// differences.
	priorVariance = .01
	priorWeight   = 5
	// leastCommon is the minimum number of differences for a variant's variance to count
	// towards the prior of others.
	leastCommon = 5
	// leastSpread is the smallest prior standard deviation of a gain, in score units.
	leastSpread = .1
)

// refresh computes the gains from all results. With d̄ the weighted mean of n paired
// differences of variance σ², and the prior N(0, τ²), a gain has the posterior mean d̄·n/(n
// + σ²/τ²) and variance σ²/(n + σ²/τ²). The variance is the variant's own, with the median
// over all variants as its prior, because a variant that fails on some cases has a far
// larger variance than one that differs little from the champion.
//
// τ² is estimated by moments (Morris 1983) from the variants that did better than the
// champion: it is the mean of d̄² − σ²/n over these variants. On tasks that are either
// passed or failed, scores differ by 1, so an improvement of 25 points would count as
// chance under a narrow prior.
func (s *search) refresh() {
	if s.fresh {
		return
	}
	s.fresh = true
	champion := s.members[0]
	var known []float64
	for _, m := range s.members[1:] {
		sum, n, square := 0., 0., 0.
		for i, v := range m.scores {
			if math.IsNaN(v) || math.IsNaN(champion.scores[i]) {
				continue
			}
			d, w := v-champion.scores[i], m.weights[i]*champion.weights[i]
			sum += w * d
			square += w * d * d
			n += w
		}
		m.common, m.gain, m.squares = n, 0, 0
		if n > 0 {
			m.gain = sum / n
			m.squares = max(0, square-n*m.gain*m.gain)
		}
		if n >= leastCommon && m.squares > 0 {
			known = append(known, m.squares/(n-1))
		}
	}
	prior := priorVariance
	if len(known) > 0 {
		slices.Sort(known)
		prior = known[len(known)/2]
	}
	spread2 := s.spread(prior)
	for _, m := range s.members[1:] {
		variance := m.variance(prior)
		shrink := variance / spread2
		m.gain *= m.common / (m.common + shrink)
		m.deviation = math.Sqrt(variance / (m.common + shrink))
	}
}

// beats returns the posterior probability that the gain of a variant exceeds a bar.
func (m *member) beats(bar float64) float64 {
	if m.deviation == 0 {
		return 0
	}
	return .5 * math.Erfc((bar-m.gain)/m.deviation/math.Sqrt2)
}

// variance returns the variance of a variant's paired differences, given a prior.
func (m *member) variance(prior float64) float64 {
	return (priorWeight*prior + m.squares) / (priorWeight + max(0, m.common-1))
}

// spread returns the prior variance of a gain. When spread is called, the gains must still
// be plain means, not yet shrunk.
func (s *search) spread(prior float64) float64 {
	sum, n := 0., 0.
	for _, m := range s.members[1:] {
		if m.common >= leastCommon && m.gain > 0 {
			sum += m.gain*m.gain - m.variance(prior)/m.common
			n++
		}
	}
	return max(leastSpread*leastSpread, sum/max(1, n))
}
