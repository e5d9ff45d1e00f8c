package mutate

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"evolve/mutate/irt"
)

// posterior is the model, with the variants to which it was fitted.
type posterior struct {
	model    *irt.Model
	items    []irt.Item
	variants []*variantStats // the variants of the items, in the same order
	// fitted is the number of results that had been received at the last fit. learnt is
	// the number of items at the time when the hyperparameters were last learnt.
	fitted, learnt int
	level          float64 // the champion's expected score

	leaders []*variantStats
	joint   *mat.TriDense // Cholesky factor of the leaders' posterior covariance
	// outstanding holds, if the space is small, the variants that are best according to
	// their own results.
	outstanding []*variantStats
}

// MaxModelled is the maximum number of configs to which the model of a search is fitted.
const MaxModelled = mostConfigs + 30

// ready reports whether the model has data.
func (b *posterior) ready() bool { return len(b.items) > 0 }

// refresh fits the model if enough results have been received since the last fit.
func (s *search) refresh() {
	b := &s.posterior
	if s.results-b.fitted >= max(4, min(b.fitted/40, 150+b.fitted/100)) && len(s.codec.dims) > 0 {
		s.fit(2)
	}
}

// fit fits the model to all results.
func (s *search) fit(iterations int) {
	b := &s.posterior
	b.variants = s.represented(b.variants[:0])
	s.testNights()
	b.items = b.items[:0]
	for _, a := range s.variants {
		a.item = -1
	}
	for i, a := range b.variants {
		a.item = i
		b.items = append(b.items, irt.Item{Point: a.point, Cells: s.merged(a), Ability: a.ability, Pending: float64(a.pending())})
	}
	var earlier []*past
	for _, h := range s.held() {
		if a := s.byID[h.id]; a == nil || a.item < 0 {
			earlier = append(earlier, h)
			b.items = append(b.items, h.item())
		}
	}
	learn := 0
	if float64(len(b.items)) > 1.12*float64(b.learnt)+4 {
		b.learnt = len(b.items)
		learn = 12
		iterations++
		if b.fitted == 0 {
			iterations += 3
		}
	}
	if len(b.items) == 0 {
		b.fitted = s.results
		return
	}
	b.model.Fit(b.items, iterations, learn)
	for i, h := range earlier {
		h.ability = b.items[len(b.variants)+i].Ability
	}
	for i := range b.items {
		b.items[i].Cells = nil // in packed variants the cells are copies
	}
	variances := b.model.Variances()
	for i, a := range b.variants {
		a.ability, a.deviation = b.items[i].Ability, math.Sqrt(variances[i])
		o := s.outlook(a)
		a.worth = o.mean - doubt*math.Hypot(o.slope*a.deviation, math.Sqrt(o.luck)) - s.lengthPrice(a)
	}
	b.fitted = s.results
	b.level = s.expected(s.champion.ability)
	s.lead()
	s.packIdle()
	s.reward()
}

// represented lists the variants to which the model is fitted. These are all variants with
// results or pending evaluations. If they exceed the limit, the champion and the ablest
// variants take half of it, and an even selection of the rest takes the other half.
func (s *search) represented(list []*variantStats) []*variantStats {
	for _, a := range s.variants {
		if a.scored > 0 || a.pending() > 0 {
			list = append(list, a)
		}
	}
	if len(list) <= MaxModelled {
		return list
	}
	slices.SortStableFunc(list, func(a, b *variantStats) int {
		if a == s.champion || b == s.champion {
			return cmp.Compare(b2i(b == s.champion), b2i(a == s.champion))
		}
		return cmp.Compare(b.ability, a.ability)
	})
	rest := list[MaxModelled/2:]
	for i := range MaxModelled / 2 {
		list[MaxModelled/2+i] = rest[i*len(rest)/(MaxModelled/2)]
	}
	return list[:MaxModelled/2*2]
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// maxLeaders is the maximum number of leaders.
const maxLeaders = 24

// lead determines the leaders and their joint posterior.
func (s *search) lead() {
	b := &s.posterior
	var list []*variantStats
	for _, a := range b.variants {
		if a.scored > 0 && !a.baseline && a != s.champion && s.open(a) {
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b *variantStats) int { return cmp.Compare(b.ability, a.ability) })
	list = s.affordable(list)
	if s.small() {
		b.outstanding = s.outstanding(list)
	}
	list = list[:min(len(list), maxLeaders)]
	if s.champion.item >= 0 && s.open(s.champion) {
		list = append(list, s.champion)
	}
	b.leaders, b.joint = list, nil
	if len(list) == 0 {
		return
	}
	of := make([]int, len(list))
	for i, a := range list {
		of[i] = a.item
	}
	cov := b.model.Covariance(of)
	var chol mat.Cholesky
	for jitter := 1e-9; !chol.Factorize(cov); jitter *= 10 {
		for i := range list {
			cov.SetSym(i, i, cov.At(i, i)+jitter)
		}
	}
	b.joint = mat.NewTriDense(len(list), mat.Lower, nil)
	chol.LTo(b.joint)
}

// expected returns the expected weighted mean score over all tasks at a given ability.
func (s *search) expected(ability float64) float64 {
	sum := 0.0
	for j, w := range s.weights {
		sum += w * irt.Sigmoid(ability+s.posterior.model.Effects[j])
	}
	return sum
}

// slope returns the derivative of expected with respect to the ability.
func (s *search) slope(ability float64) float64 {
	sum := 0.0
	for j, w := range s.weights {
		p := irt.Sigmoid(ability + s.posterior.model.Effects[j])
		sum += w * p * (1 - p)
	}
	return sum
}
