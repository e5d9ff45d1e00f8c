package mutate

import (
	"math"
	"slices"

	"evolve/mutate/rasch"
	"evolve/runtime/agent"
)

// Moment is what a search and its random baseline recommended at some time.
type Moment struct {
	// Evaluations that had been told, and how many of them were the baseline's.
	Evaluations, Random int
	// Best is the variant that the search recommended, RandomBest that of the baseline;
	// empty before it had any.
	Best, RandomBest agent.ConfigID
}

// Moment is what the recommendation says, without its estimates: an estimate of the
// time is too high, because its variant was selected for it.
func (r Recommendation) Moment() Moment {
	m := Moment{Evaluations: r.Told, Random: r.RandomTold, Best: r.Best.Variant}
	if r.Random.Evaluations > 0 {
		m.RandomBest = r.Random.Variant
	}
	return m
}

// Valued is a moment with what its recommendations are worth by all that is known at the
// end: expected scores on all search tasks. RandomScore is 0 without a RandomBest.
type Valued struct {
	Moment
	Score, RandomScore float64
}

// Match compares what the search recommended with what random search did, each by the
// same model of all evaluations and on the same tasks: all search tasks.
type Match struct {
	// Search and Random are the two; SearchSpent and RandomSpent count the evaluations
	// of each side's own until then.
	Search, Random           Estimate
	SearchSpent, RandomSpent int
	// Difference of the two expected scores with its 95 % interval, in score units.
	Difference, Lo, Hi float64
	// Common counts the tasks that both were evaluated on.
	Common int
}

// Hindsight is a search looked back on from its end.
type Hindsight struct {
	Curve []Valued
	// Equal compares after as many evaluations of the search as the whole baseline had,
	// End at the end of both. Nil without a baseline.
	Equal, End *Match
}

// Hindsight values what was recommended at each moment, in their order, by what is
// known now. Variants that this search does not know are left out.
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
		if m.Evaluations-m.Random <= s.baseline.told {
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
	h.End.SearchSpent = s.told - s.baseline.told
	return h
}

// match compares two arms by the model's joint posterior.
func (s *search) match(a, b *arm) *Match {
	m := &Match{Search: s.estimate(a, 0, 0), Random: s.estimate(b, 0, 0), RandomSpent: s.baseline.told}
	for _, c := range a.cells {
		if _, both := slices.BinarySearchFunc(b.cells, c.Task, func(c rasch.Cell, task int) int { return c.Task - task }); both {
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
		variance -= 2 * x.slope * y.slope * s.belief.model.Covariance([]int{a.item, b.item}).At(0, 1)
	}
	half := 1.96 * math.Sqrt(math.Max(0, variance))
	m.Difference = m.Search.Score - m.Random.Score
	m.Lo, m.Hi = math.Max(-1, m.Difference-half), math.Min(1, m.Difference+half)
	return m
}

// freely is the prior variance of the champion's ability in its own estimate.
const freely = 9.0

// shown is an arm as it is reported: the champion with an ability that its own
// evaluations decide. The posterior pulls every variant towards the others, which
// is right for one that was selected for its scores. The champion was not, and it is
// usually better than random variants: pulled towards them it would look worse than it is.
func (s *search) shown(a *arm) *arm {
	if a != s.champion || !s.belief.ready() {
		return a
	}
	middle := 0.0
	for _, x := range s.belief.arms {
		middle += x.ability / float64(len(s.belief.arms))
	}
	own := *a
	own.ability, own.deviation = s.belief.model.Own(s.merged(a), a.ability, middle, freely)
	return &own
}
