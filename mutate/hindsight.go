package mutate

import (
	"math"

	"evolve/mutate/irt"
	"evolve/runtime/agent"
)

// Moment is the recommendation of a search and of its random baseline at some time.
type Moment struct {
	// Evaluations is the number of evaluations told so far, and Random the number of the
	// baseline's among them.
	Evaluations, Random int
	// Best is the variant that the search recommended, RandomBest that of the baseline;
	// empty before there was one.
	Best, RandomBest agent.ConfigID
}

// Moment returns the recommended variants without their estimates: an early estimate is
// too high, because its variant was selected for it.
func (r Recommendation) Moment() Moment {
	m := Moment{Evaluations: r.Told, Random: r.RandomTold, Best: r.Best.Variant}
	if r.Random.Evaluations > 0 {
		m.RandomBest = r.Random.Variant
	}
	return m
}

// Valued is a moment with the value of its recommendations by all data at the end:
// expected scores on all search tasks. RandomScore is 0 without a RandomBest.
type Valued struct {
	Moment
	Score, RandomScore float64
}

// Match compares the recommendation of the search with that of random search, both by the
// same model of all evaluations and on all search tasks.
type Match struct {
	// Search and Random are the two estimates; SearchSpent and RandomSpent count each
	// side's own evaluations until then.
	Search, Random           Estimate
	SearchSpent, RandomSpent int
	// Difference is the difference of the two expected scores with its 95 % interval, in
	// score units.
	Difference, Lo, Hi float64
	// Common is the number of tasks that both were evaluated on.
	Common int
}

// Hindsight is the evaluation of a search after its end.
type Hindsight struct {
	Curve []Valued
	// Equal compares the two after as many evaluations of the search as the whole
	// baseline had, and End at the end of both. Nil without a baseline.
	Equal, End *Match
}

// Hindsight values the recommendations of each moment, in their order, by all data so
// far. Unknown variants are left out.
func (s *search) Hindsight(moments []Moment) Hindsight {
	var h Hindsight
	var equal *Moment
	for i, m := range moments {
		best, ok := s.byID[m.Best]
		if !ok {
			continue
		}
		v := Valued{Moment: m, Score: s.estimate(best, 0, 0).Score}
		if a, ok := s.byID[m.RandomBest]; ok {
			v.RandomScore = s.estimate(a, 0, 0).Score
		} else {
			v.RandomBest = ""
		}
		h.Curve = append(h.Curve, v)
		if m.Evaluations-m.Random <= s.baseline.results {
			equal = &moments[i]
		}
	}
	random := s.baseline.best()
	if random == nil {
		return h
	}
	if equal != nil {
		h.Equal = s.match(s.byID[equal.Best], random)
		h.Equal.SearchSpent = equal.Evaluations - equal.Random
	}
	h.End = s.match(s.byID[s.Recommend().Best.Variant], random)
	h.End.SearchSpent = s.results - s.baseline.results
	return h
}

// match compares two variants by the model's joint posterior.
func (s *search) match(a, b *variantStats) *Match {
	m := &Match{Search: s.estimate(a, 0, 0), Random: s.estimate(b, 0, 0), RandomSpent: s.baseline.results}
	theirs := b.scores()
	for _, c := range a.scores() {
		if _, both := irt.Find(theirs, c.Task); both {
			m.Common++
		}
	}
	if a == b {
		return m
	}
	x, y := s.outlook(s.shown(a)), s.outlook(s.shown(b))
	va, vb := s.shown(a).deviation, s.shown(b).deviation
	variance := x.slope*x.slope*va*va + y.slope*y.slope*vb*vb + x.luck + y.luck
	if a != s.champion && b != s.champion && a.item >= 0 && b.item >= 0 {
		variance -= 2 * x.slope * y.slope * s.posterior.model.Covariance([]int{a.item, b.item}).At(0, 1)
	}
	half := 1.96 * math.Sqrt(math.Max(0, variance))
	m.Difference = m.Search.Score - m.Random.Score
	m.Lo, m.Hi = math.Max(-1, m.Difference-half), math.Min(1, m.Difference+half)
	return m
}

// championVariance is the prior variance of the champion's ability in its own estimate.
const championVariance = 9.0

// shown returns a variant as it is reported: the champion with an ability estimated mainly
// from its own evaluations. The posterior shrinks every variant towards the others, which
// is right for one that was selected for its scores. The champion was not, and usually it
// is better than random variants, so shrinkage would underestimate it.
func (s *search) shown(a *variantStats) *variantStats {
	switch {
	case !s.posterior.ready():
		return a
	case a != s.champion:
		return s.singled(a)
	}
	middle := 0.0
	for _, x := range s.posterior.variants {
		middle += x.ability / float64(len(s.posterior.variants))
	}
	own := *a
	own.ability, own.deviation = s.posterior.model.Own(s.merged(a), a.ability, middle, championVariance)
	return &own
}

// singular is the prior probability that a variant's ability is unlike its neighbours', by a
// deviation whose variance is [aloneVariance].
const singular = 0.02

// singled returns a variant with the mean and the deviation of a mixture: either it is like its
// neighbours, as the model assumes of all, or its ability is mainly that of its own results. The
// weights follow from how likely its results are under both, by Laplace's approximation (Tierney
// and Kadane 1986). A single good config among poor ones would otherwise be reported as far
// worse than it is, with an interval that excludes the truth.
func (s *search) singled(a *variantStats) *variantStats {
	if a.item < 0 {
		return a
	}
	m, cells := s.posterior.model, s.merged(a)
	mean, variance, ok := m.Others(a.item, a.ability, a.deviation)
	if !ok || len(cells) == 0 {
		return a
	}
	evidence := func(ability, deviation, variance float64) float64 {
		d := ability - mean
		return m.Likelihood(cells, ability) - d*d/(2*variance) + math.Log(deviation/math.Sqrt(variance))
	}
	near, nearDeviation := m.Own(cells, a.ability, mean, variance)
	far, farDeviation := m.Own(cells, a.ability, mean, variance+aloneVariance)
	odds := singular / (1 - singular) * math.Exp(evidence(far, farDeviation, variance+aloneVariance)-evidence(near, nearDeviation, variance))
	weight := 1.0
	if !math.IsInf(odds, 1) {
		weight = odds / (1 + odds)
	}
	own := *a
	own.ability = (1-weight)*a.ability + weight*far
	own.deviation = math.Sqrt((1-weight)*(a.deviation*a.deviation+(a.ability-own.ability)*(a.ability-own.ability)) +
		weight*(farDeviation*farDeviation+(far-own.ability)*(far-own.ability)))
	return &own
}
