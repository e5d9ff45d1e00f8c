package population

import "math"

const (
	// priorVariance is the variance of one paired difference before there are results, and
	// priorWeight the number of differences that it counts as.
	priorVariance = .01
	priorWeight   = 10
	// spread is the prior standard deviation of a gain, in score units.
	spread = .1
)

// refresh computes the gains from all results. With d̄ the weighted mean of n paired
// differences of variance σ², and the prior N(0, τ²), a gain has the posterior mean
// d̄·n/(n + σ²/τ²) and variance σ²/(n + σ²/τ²).
func (s *search) refresh() {
	if s.fresh {
		return
	}
	s.fresh = true
	champion := s.members[0]
	squares, freedom := priorVariance*priorWeight, float64(priorWeight)
	for _, m := range s.members[1:] {
		sum, n, square := 0., 0., 0.
		for i, v := range m.scores {
			if math.IsNaN(v) || math.IsNaN(champion.scores[i]) {
				continue
			}
			d, w := v-champion.scores[i], m.weights[i]
			sum += w * d
			square += w * d * d
			n += w
		}
		m.common, m.gain = n, 0
		if n > 0 {
			m.gain = sum / n
		}
		if n > 1 {
			squares += max(0, square-n*m.gain*m.gain)
			freedom += n - 1
		}
	}
	s.variance = squares / freedom
	shrink := s.variance / (spread * spread)
	for _, m := range s.members[1:] {
		m.gain *= m.common / (m.common + shrink)
		m.deviation = math.Sqrt(s.variance / (m.common + shrink))
	}
}

// beats returns the posterior probability that the gain of a variant exceeds a bar.
func (m *member) beats(bar float64) float64 {
	if m.deviation == 0 {
		return 0
	}
	return .5 * math.Erfc((bar-m.gain)/m.deviation/math.Sqrt2)
}
