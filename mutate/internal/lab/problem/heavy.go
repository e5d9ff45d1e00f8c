package problem

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// tails describes the scores of a family whose noise differs by task and config, and in
// which evaluations can collapse: with some probability an evaluation collapses to a score
// of 0; otherwise its score is beta-distributed.
type tails struct {
	// steady is the logarithm of the precision of the beta distribution, by task. steadier
	// is the change to this logarithm, by config.
	steady   []float64
	steadier func(point) float64
}

// draw draws a score with the given mean (expected). sound is the probability that there
// is no collapse. As with other noise, half of the variance of each of the two normal
// variables that determine the score is shared by all configs on the same task and
// repeat.
func (t *tails) draw(salt uint64, expected, sound float64, at point, task, repeat int, seed int64) float64 {
	common := mix(salt, uint64(seed), uint64(task), uint64(repeat))
	own := common
	for _, x := range at {
		own = mix(own, math.Float64bits(x))
	}
	luck := func(k uint64) float64 {
		return distuv.UnitNormal.CDF(math.Sqrt(shared)*normal(mix(common, k, 1)) + math.Sqrt(1-shared)*normal(mix(own, k, 2)))
	}
	if luck(1) > sound {
		return 0
	}
	mean, precision := expected/sound, math.Exp(t.steady[task]+t.steadier(at))
	return distuv.Beta{Alpha: mean * precision, Beta: (1 - mean) * precision}.Quantile(luck(2))
}

// unsettled draws the tails. In this family, the catastrophes of the recipe are the regions
// in which collapses are frequent.
func (m *maker) unsettled(sample []point) {
	t := &tails{steadier: m.mixture(sample, 0.6)}
	for range m.p.search {
		t.steady = append(t.steady, between(m.rng, math.Log(0.8), math.Log(25)))
	}
	m.p.tails = t
}

// mixture returns a function of all parameters that has mean 0 and the given standard
// deviation over the sample.
func (m *maker) mixture(sample []point, deviation float64) func(point) float64 {
	var parts []effect
	for i, p := range m.params {
		parts = append(parts, single(m.rng, p, i, gentle))
	}
	var terms []term
	for _, raw := range parts {
		if mean, scale := moments(sample, raw); scale > 1e-9 {
			terms = append(terms, term{raw, mean, scale})
		}
	}
	weights := normals(m.rng, len(terms))
	size := math.Sqrt(dot(weights, weights))
	return func(at point) float64 {
		sum := 0.0
		for k, t := range terms {
			sum += weights[k] * t.value(at)
		}
		return deviation * sum / size
	}
}
