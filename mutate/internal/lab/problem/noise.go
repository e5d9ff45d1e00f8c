package problem

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// grading specifies how an expected score becomes the score of one evaluation.
type grading int

const (
	exact    grading = iota // the expected score itself
	passFail                // 1 with a probability equal to the expected score, otherwise 0
	rubric                  // the share of four points that are won, each with a probability equal to the expected score
)

// rubricPoints is the number of points in a rubric.
const rubricPoints = 4

// shared is the share of an evaluation's noise that depends on the task and the repeat but
// not on the config: two agents with the same seed get the same environment but still
// behave differently.
const shared = 0.5

// noise draws scores with common random numbers. A point is won if Φ(√shared·a +
// √(1−shared)·b) is below the expected score, where the normal variable a depends on seed,
// task and repeat, and b also depends on the config (a Gaussian copula). For each config
// the probability is exact, and configs are correlated on the same task and repeat.
type noise struct {
	grading grading
	salt    uint64
}

func (n noise) draw(expected float64, at point, task, repeat int, seed int64) float64 {
	points := 1
	switch n.grading {
	case exact:
		return expected
	case rubric:
		points = rubricPoints
	}
	common := mix(n.salt, uint64(seed), uint64(task), uint64(repeat))
	own := common
	for _, x := range at {
		own = mix(own, math.Float64bits(x))
	}
	won := 0
	for k := range points {
		luck := math.Sqrt(shared)*normal(mix(common, uint64(k), 1)) + math.Sqrt(1-shared)*normal(mix(own, uint64(k), 2))
		if distuv.UnitNormal.CDF(luck) < expected {
			won++
		}
	}
	return float64(won) / float64(points)
}

// normal maps a hash to a standard normal variable.
func normal(h uint64) float64 { return distuv.UnitNormal.Quantile(uniform(h)) }

// uniform maps a hash to a number in (0,1).
func uniform(h uint64) float64 { return (float64(h>>11) + 0.5) / (1 << 53) }

// mix hashes a sequence of words with the finaliser of SplitMix64 (Steele, Lea and Flood
// 2014).
func mix(words ...uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range words {
		h += w + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}
