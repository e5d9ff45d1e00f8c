package mutate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"evolve/mutate/irt"
	"evolve/mutate/operator"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// proposal is a new config with its origin.
type proposal struct {
	config    agent.Config
	parents   []*variantStats
	operator  string
	rationale string
	ability   float64 // its expected ability
	scale     float64 // the operator's scale; 0 if there is none
}

// prospect is a point in the space that may become a proposal.
type prospect struct {
	point    irt.Point
	from     *variantStats // the variant from which it was developed
	past     *past         // the config from an earlier night, or nil; if it is set, from is nil
	mean, sd float64
	length   float64 // the price of the length of its texts, on the scale of abilities
}

const (
	elite        = 12
	randomPoints = 60
	offspring    = 160
	rounds       = 5
	refineBatch  = 14
	optimism     = 1.5
	batchSize    = 8
	tooSimilar   = 0.97
	// manyVariants is the number of variants above which more proposals are made at a time.
	manyVariants = 4 * mostConfigs
)

// propose returns new variants. Without a model they are random; with a model they are a
// batch of points with a high predicted mean or uncertainty.
func (s *search) propose() []proposal {
	s.refresh()
	if !s.posterior.ready() {
		for range 20 {
			if p := s.random(); !s.refused(p.config.ID()) {
				return []proposal{p}
			}
		}
		return nil
	}
	size, refined := batchSize, rounds
	if len(s.variants) > manyVariants {
		size, refined = 8*batchSize, 0 // among thousands of variants, each matters less
	}
	left := s.plan.search - float64(s.spent-s.baseline.asked)
	size = max(1, min(size, int(left/float64(s.plan.first))))
	out, ours := s.children(size)
	s.predict(out)
	return append(out, s.acquire(ours, refined)...)
}

// elite returns the variants in the model that have the highest ability and are expected to
// satisfy the guards.
func (s *search) elite(most int) []*variantStats {
	var list []*variantStats
	for _, a := range s.posterior.variants {
		if a.scored > 0 || a == s.champion {
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b *variantStats) int { return cmp.Compare(b.ability, a.ability) })
	list = s.affordable(list)
	if len(list) == 0 {
		return []*variantStats{s.champion}
	}
	return list[:min(len(list), most)]
}

// judge sets the model's predictions for prospects.
func (s *search) judge(list []prospect) {
	points := make([]irt.Point, len(list))
	for i := range list {
		points[i] = list[i].point
	}
	mean, sd := s.posterior.model.Predict(points)
	// A unit of ability raises the expected score by at most a quarter.
	price := operator.PricePerChar / math.Max(0.02, s.slope(s.champion.ability))
	for i := range list {
		list[i].mean, list[i].sd = mean[i], sd[i]
		list[i].length = price * float64(s.codec.chars(list[i].point))
	}
}

// acquire returns proposals made from the model, at most the given number (size). They
// are the points in a pool with the highest upper confidence bounds; the bound is
// cautious for the first proposal and more optimistic for each further one. Each point is
// refined for the given number of rounds (refined).
func (s *search) acquire(size, refined int) []proposal {
	defer s.codec.forget()
	model := s.posterior.model
	weights := s.codec.weigh(model.Relevance())
	pool := s.pool(weights)
	s.judge(pool)
	var out []proposal
	var chosen []irt.Point
	for slot := range size {
		kappa := optimism * float64(slot) / math.Max(1, float64(size-1))
		if size == 1 {
			kappa = optimism * s.rng.Float64()
		}
		worth := func(p *prospect) float64 { return p.mean + kappa*p.sd - p.length }
		better := func(a, b prospect) int { return cmp.Compare(worth(&b), worth(&a)) }
		slices.SortStableFunc(pool, better)
		pool = append(pool, s.refine(slices.Clone(pool[:min(5, len(pool))]), weights, refined, better)...)
		slices.SortStableFunc(pool, better)
		for _, x := range pool {
			if s.points[key(x.point)] || slices.ContainsFunc(chosen, func(y irt.Point) bool { return model.Correlation(y, x.point) > tooSimilar }) {
				continue
			}
			if p, ok := s.proposalOf(x); ok {
				chosen = append(chosen, x.point)
				out = append(out, p)
				break
			}
		}
	}
	return out
}

// pool returns random points, changes to the best variants and crossings of them, and the
// best configs of earlier nights.
func (s *search) pool(weights []float64) []prospect {
	parents := s.elite(elite)
	near := make([]irt.Point, len(parents))
	for i, a := range parents {
		near[i] = a.point
	}
	s.posterior.model.Approach(near)
	var pool []prospect
	for range randomPoints {
		pool = append(pool, prospect{point: s.codec.random(s.champion.point, s.rng), from: s.champion})
	}
	for range offspring {
		a := parents[int(float64(len(parents))*s.rng.Float64()*s.rng.Float64())]
		x := a.point
		if s.rng.Float64() < 0.35 {
			x = s.codec.cross(x, parents[s.rng.IntN(len(parents))].point, s.rng)
		}
		pool = append(pool, prospect{point: s.codec.mutate(x, weights, s.rng), from: a})
	}
	return append(pool, s.recalled(elite)...)
}

// refine returns changes to the top points and, in the following rounds, changes to the
// best results of the round before.
func (s *search) refine(top []prospect, weights []float64, rounds int, better func(a, b prospect) int) []prospect {
	var all []prospect
	for range rounds {
		kids := make([]prospect, refineBatch)
		for k := range kids {
			p := top[s.rng.IntN(len(top))]
			kids[k] = prospect{point: s.codec.mutate(p.point, weights, s.rng), from: s.origin(p)}
		}
		s.judge(kids)
		all = append(all, kids...)
		top = append(top, kids...)
		slices.SortStableFunc(top, better)
		top = top[:min(5, len(top))]
	}
	return all
}

// proposalOf makes a proposal from a point; ok is false if the point's config is invalid or
// refused.
func (s *search) proposalOf(p prospect) (proposal, bool) {
	if p.past != nil {
		return p.past.proposal(p.mean), true
	}
	c, ok := s.codec.decode(p.point, p.from.config, p.from.point)
	if !ok || s.refused(c.ID()) {
		return proposal{}, false
	}
	return proposal{
		config: c, parents: []*variantStats{p.from}, operator: modelOperator, ability: p.mean, scale: 1,
		rationale: fmt.Sprintf("the score model predicts a gain of %s points over the champion", text.Points(s.expected(p.mean)-s.posterior.level)),
	}, true
}

// predict sets the model's predictions for proposals made by operators.
func (s *search) predict(list []proposal) {
	points := make([]irt.Point, len(list))
	for i := range list {
		points[i] = s.codec.encode(list[i].config)
	}
	mean, _ := s.posterior.model.Predict(points)
	for i := range list {
		list[i].ability = mean[i]
	}
}

// origin returns the variant from which a further change to a prospect descends.
func (s *search) origin(p prospect) *variantStats {
	if p.from != nil {
		return p.from
	}
	return s.champion
}
