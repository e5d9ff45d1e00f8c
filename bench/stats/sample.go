package stats

import (
	"cmp"
	"math"
	"slices"
)

// Sample is a multiset of paired differences in [−1, 1] with the evidence about their
// mean. Equal differences are kept as one group with a count, so that pass/fail costs the
// same for any number of pairs.
//
// The evidence is the capital of a bettor who stakes constant shares of it against "the
// mean is at most m", the mean of nine such bettors (Waudby-Smith and Ramdas 2024, §4,
// with constant bets): with y = (D+1)/2 and μ = (m+1)/2
//
//	E(m) = ⅑ Σ_j Π_i (1 + l_j (y_i/μ − 1)).
//
// If the pairs of a block are independent and the mean of their expectations is at most
// m, a block multiplies the expected capital of a bettor by Π(1 + l(μ_i/μ − 1)) ≤ (1 +
// l(μ̄/μ − 1))^M ≤ 1 (arithmetic and geometric mean), so E is a non-negative
// supermartingale over complete blocks, and by Ville's inequality (1939) it ever reaches
// 1/α with probability at most α. The tasks need not be alike, and nothing is assumed
// about the distribution; but only complete blocks may be evaluated. All computations use
// logarithms.
//
// The smallest bet limits the smallest difference that any number of pairs proves: about
// .05/2 of the mean square of D, that is .6 points where one pair in four comes out
// differently.
//
// The zero Sample is empty and ready for use. Adding to a Sample is not safe for
// concurrent use.
type Sample struct {
	groups []group // in ascending order of value
	n      int
	// stretch converts the added values into score units: 1, or the highest over the mean
	// weight; 0 stands for 1.
	stretch float64
}

// group is one value of a difference with its count.
type group struct{ value, count float64 }

// NewSample returns a sample of the differences d; see [Sample.Add].
func NewSample(d ...float64) *Sample {
	s := &Sample{groups: make([]group, 0, len(d))}
	// In ascending order every difference belongs to the last group or after it.
	for _, v := range slices.Sorted(slices.Values(d)) {
		s.Add(v, 1)
	}
	return s
}

// Add adds n pairs with the difference d. A d outside of [−1, 1] is due to rounding, as
// scores are in [0, 1], and is moved to the end. NaN, and n below 1, changes nothing.
func (s *Sample) Add(d float64, n int) {
	if math.IsNaN(d) || n < 1 {
		return
	}
	d = math.Max(-1, math.Min(1, d))
	at, found := slices.BinarySearchFunc(s.groups, d, func(g group, d float64) int { return cmp.Compare(g.value, d) })
	if !found {
		s.groups = slices.Insert(s.groups, at, group{value: d})
	}
	s.groups[at].count += float64(n)
	s.n += n
}

// N returns the number of pairs.
func (s *Sample) N() int { return s.n }

// Mean returns the mean of the differences; 0 without any.
func (s *Sample) Mean() float64 { return s.centre() * s.scale() }

// Variance returns the variance of the differences around their mean, with n in the
// denominator; 0 without any.
func (s *Sample) Variance() float64 {
	if s.n == 0 {
		return 0
	}
	mean := s.centre()
	var sum float64
	for _, g := range s.groups {
		sum += g.count * (g.value - mean) * (g.value - mean)
	}
	return sum / float64(s.n) * s.scale() * s.scale()
}

// LogSuperior returns the logarithm of the evidence that the mean difference is above
// margin, a number in (−1, 1). It is 0 without data; at ln(1/α) the claim is proven at α,
// at any number of looks after complete blocks.
func (s *Sample) LogSuperior(margin float64) float64 {
	return s.evidence(margin/s.scale(), 1)
}

// LogInferior returns the logarithm of the evidence that the mean difference is below
// margin: that of the negated differences being above −margin.
func (s *Sample) LogInferior(margin float64) float64 {
	return s.evidence(-margin/s.scale(), -1)
}

// centre returns the mean of the values as they were added.
func (s *Sample) centre() float64 {
	if s.n == 0 {
		return 0
	}
	var sum float64
	for _, g := range s.groups {
		sum += g.count * g.value
	}
	return sum / float64(s.n)
}

func (s *Sample) scale() float64 {
	if s.stretch == 0 {
		return 1
	}
	return s.stretch
}
