package stats

import "math"

const (
	// edge keeps the search for a bound away from the pole at −1; data that cannot exclude
	// even a mean at this distance from −1 give no bound.
	edge = 1e-9
	// exact is the precision of a bound, in score units.
	exact = 1e-11
)

// Lower returns the bound that the mean difference exceeds with confidence 1 − alpha at
// any stopping time. The bound is the m in [−1, mean] with LogSuperior(m) = ln(1/alpha),
// or −1 if not even a mean of −1 + 10⁻⁹ is excluded. alpha is in (0, 1).
func (s *Sample) Lower(alpha float64) float64 {
	return math.Max(-1, s.bound(alpha, 1)*s.scale())
}

// Upper returns the bound that the mean difference stays below with confidence 1 − alpha at
// any stopping time. It is computed like Lower, from the negated differences.
func (s *Sample) Upper(alpha float64) float64 {
	return math.Min(1, -s.bound(alpha, -1)*s.scale())
}

// Interval returns an interval that covers the mean difference with confidence level at any
// stopping time; each side has half of the error.
func (s *Sample) Interval(level float64) Interval {
	alpha := (1 - level) / 2
	return Interval{Lo: s.Lower(alpha), Hi: s.Upper(alpha)}
}

// bound returns the lower bound of the mean of sign·value.
//
// log E(m) falls with m and is convex in it: each log(1 + l(y/μ − 1)) is, sums of convex
// functions are, and so is the log of a sum of their exponentials. So a Newton step from
// either side ends at or below the root, where the bound is conservative, and further
// steps rise to the root. Where Newton's step would leave the bracket, it is replaced by
// bisection.
func (s *Sample) bound(alpha, sign float64) float64 {
	want := math.Log(1 / alpha)
	lo, hi := -1+edge, sign*s.centre()
	if s.n == 0 || s.evidence(lo, sign) < want {
		return -1
	}
	m := hi
	for hi-lo > exact {
		value, slope := s.tangent(m, sign)
		if value >= want {
			lo = m
		} else {
			hi = m
		}
		next := m - (value-want)/slope
		if next-lo < exact && value >= want {
			return lo // further Newton steps are smaller than the precision
		}
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		m = next
	}
	return lo
}
