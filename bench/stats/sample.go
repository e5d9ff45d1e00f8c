package stats

import (
	"cmp"
	"math"
	"slices"
)

// Sample is a multiset of paired differences in [−1, 1], with the evidence about their
// mean. Equal differences are stored as one group with a count, so pass/fail scores take
// the same memory and time for any number of pairs.
//
// The evidence is the mean capital of nine bettors, each of whom always stakes a constant
// share of the capital against "the mean is at most m" (Waudby-Smith and Ramdas 2024, §4,
// with constant bets): with y = (D+1)/2 and μ = (m+1)/2
//
//	E(m) = ⅑ Σ_j Π_i (1 + l_j (y_i/μ − 1)).
//
// If the pairs of a block are independent and the mean of their expectations is at most
// m, a block multiplies the expected capital of a bettor by Π(1 + l(μ_i/μ − 1)) ≤ (1 +
// l(μ̄/μ − 1))^M ≤ 1 (arithmetic and geometric mean). So E is a non-negative
// supermartingale over complete blocks, and by Ville's inequality (1939) the probability
// that it ever reaches 1/α is at most α. The tasks need not be alike, and nothing is
// assumed about the distribution, but only complete blocks may be evaluated. All
// computations use logarithms.
//
// The smallest bet determines the smallest difference that can be proved with any number
// of pairs. This difference is about .05/2 of the mean square of D, that is, .6 points if
// one pair in four comes out differently.
//
// The zero Sample is empty and ready for use. Adding to a Sample is not safe for
// concurrent use.
type Sample struct {
	groups []group // in ascending order of value
	n      int
	// stretch converts the added values into score units: it is 1, or the highest weight
	// divided by the mean weight; 0 stands for 1.
	stretch float64
}

// group is one value of a difference with its count.
type group struct{ value, count float64 }

// NewSample returns a sample of the differences d; see [Sample.Add].
func NewSample(d ...float64) *Sample {
	s := &Sample{groups: make([]group, 0, len(d))}
	// If the differences are added in ascending order, each belongs to the last group or
	// to a new group after it, so the addition is fast.
	for _, v := range slices.Sorted(slices.Values(d)) {
		s.Add(v, 1)
	}
	return s
}

// Add adds n pairs with the difference d. Because scores are in [0, 1], a d outside [−1, 1]
// is due to rounding and is moved to the nearest end. If d is NaN or n is below 1, Add
// changes nothing.
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

// Mean returns the mean of the differences, or 0 if there are none.
func (s *Sample) Mean() float64 { return s.centre() * s.scale() }

// Variance returns the variance of the differences around their mean, with n in the
// denominator, or 0 if there are none.
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
// margin, a number in (−1, 1). Without data it is 0. Once it reaches ln(1/α), the claim is
// proven at α, whatever the number of looks after complete blocks.
func (s *Sample) LogSuperior(margin float64) float64 {
	return s.evidence(margin/s.scale(), 1)
}

// LogInferior returns the logarithm of the evidence that the mean difference is below
// margin, that is, that the mean of the negated differences is above −margin.
func (s *Sample) LogInferior(margin float64) float64 {
	return s.evidence(-margin/s.scale(), -1)
}

// centre returns the mean of the added values.
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
