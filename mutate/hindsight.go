package mutate

import (
	"math"

	"evolve/mutate/irt"
	"evolve/runtime/agent"
)

// Moment holds the recommendations of a search and of its random baseline at some point in
// the search.
type Moment struct {
	// Evaluations is the number of results that the search had received. Random is the
	// number of baseline evaluations among them.
	Evaluations, Random int
	// Best is the variant that the search recommended, and RandomBest is the variant that
	// the baseline recommended. Either is empty if there was none yet.
	Best, RandomBest agent.ConfigID
}

// Moment returns the recommended variants without their estimates, because an early
// estimate is biased upwards: the variant was selected because its estimate was high.
func (r Recommendation) Moment() Moment {
	m := Moment{Evaluations: r.Told, Random: r.RandomTold, Best: r.Best.Variant}
	if r.Random.Evaluations > 0 {
		m.RandomBest = r.Random.Variant
	}
	return m
}

// Valued is a moment with the values of its recommendations, which are the expected scores
// on all search tasks, estimated from all data at the end. RandomScore is 0 if there is no
// RandomBest.
type Valued struct {
	Moment
	Score, RandomScore float64
}

// Match compares the recommendation of the search with the recommendation of a random
// search. Both are estimated on all search tasks, by one model that is fitted to all
// evaluations.
type Match struct {
	// Search and Random are the two estimates. SearchSpent and RandomSpent are the numbers
	// of evaluations that the search and the baseline had each used at that point.
	Search, Random           Estimate
	SearchSpent, RandomSpent int
	// Difference is the difference between the two expected scores, and Lo and Hi are the
	// bounds of its 95 % interval, in score units.
	Difference, Lo, Hi float64
	// Common is the number of tasks on which both configs were evaluated.
	Common int
}

// Hindsight is the assessment of a search after its end.
type Hindsight struct {
	Curve []Valued
	// Equal compares the search with the baseline once the search has had as many
	// evaluations as the whole baseline, and End compares them at the end of both. They are
	// nil without a baseline.
	Equal, End *Match
}

// Hindsight estimates the values of the recommendations at the given moments, which are in
// order, from all data so far. Moments whose recommended variant is unknown are left out.
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

// match compares two variants using the model's joint posterior.
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

// championVariance is the prior variance of the champion's ability when the ability is
// estimated mainly from the champion's own evaluations.
const championVariance = 9.0

// shown returns a variant in the form in which it is reported: for the champion, the
// ability is estimated mainly from its own evaluations. The posterior shrinks every variant
// towards the others, which is right for a variant that was selected for its scores. The
// champion was not selected, and it is usually better than random variants, so shrinkage
// would underestimate it.
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

// singular is the prior probability that a variant's ability differs from its neighbours'
// by a deviation with variance [aloneVariance].
const singular = 0.02

// singled returns a variant with the mean and the deviation of a mixture: either the
// variant is like its neighbours, as the model assumes of all variants, or its ability is
// mainly determined by its own results. The weights follow from how likely its results are
// under each of the two, by Laplace's approximation (Tierney and Kadane 1986). Without the
// mixture, a single good config among poor ones would be reported as far worse than it is,
// with an interval that excludes the true value.
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
