package model

import (
	"cmp"
	"slices"

	"evolve/runtime/agent"
)

// FrontPoint is a variant on the Pareto front of score, cost and time. The search estimates
// these values on its tasks.
type FrontPoint struct {
	Scored
	// CostUSD and Seconds are means over evaluations; 0 means that the value is unknown.
	CostUSD float64 `json:"cost_usd,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	// Breaks names the guards that the variant is expected to violate.
	Breaks []string `json:"breaks,omitempty"`
}

// TriedPoint is a variant that the search tried on at least [leastShared] of the champion's
// tasks. Its score is the champion's estimated score plus the mean difference on these
// tasks, limited to between 0 and 1; its other values are means over its evaluations.
// Unlike the search's estimates, a point is not corrected for chance, so the best of many
// points look better than they are.
type TriedPoint struct {
	Variant Ref     `json:"variant"`
	Score   float64 `json:"score"`
	Shared  int     `json:"shared"`
	CostUSD float64 `json:"cost_usd,omitempty"`
	// Tokens is the number of tokens read and written.
	Tokens float64 `json:"tokens,omitempty"`
}

// leastShared is the minimum number of evaluations that a [TriedPoint] has in common with
// the champion, and mostTried the maximum number of points; those with the most evaluations
// are listed.
const (
	leastShared = 20
	mostTried   = 150
)

// triedPoints lists the variants that the search tried, other than those on the front, and
// the headline's variant.
func (b *builder) triedPoints() {
	tried := b.tally.tried
	champion := tried.variants[b.plan.Champion].ablated()
	headline := agent.ConfigID("")
	if b.headline >= 0 {
		headline = b.result.Finalist[b.headline].Variant
	}
	made := map[agent.ConfigID]int{}
	for id, v := range tried.variants {
		shared, difference := tried.compared(champion, v.ablated())
		if shared < leastShared {
			continue
		}
		n := float64(v.made)
		made[id] = v.made
		b.out.Tried = append(b.out.Tried, TriedPoint{
			Variant: b.ref(id), Score: max(0, min(1, b.result.Search.Champion.Score+difference)), Shared: shared,
			CostUSD: v.used.CostUSD / n, Tokens: float64(v.used.InputTokens+v.used.OutputTokens) / n,
		})
	}
	slices.SortFunc(b.out.Tried, func(x, y TriedPoint) int {
		own := func(p TriedPoint) int {
			if p.Variant.ID == b.plan.Champion || p.Variant.ID == headline {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(own(x), own(y)), cmp.Compare(made[y.Variant.ID], made[x.Variant.ID]), cmp.Compare(x.Variant.Number, y.Variant.Number), cmp.Compare(x.Variant.ID, y.Variant.ID))
	})
	b.out.Tried = First(b.out.Tried, mostTried)
}

// front copies the search's Pareto front, unless it consists of a single point, and fills
// in the tried points.
func (b *builder) front() {
	b.triedPoints()
	list := b.result.Search.Front
	if len(list) < 2 {
		return
	}
	for _, v := range list {
		b.out.Front = append(b.out.Front, FrontPoint{
			Scored: b.scored(v), CostUSD: v.CostUSD, Seconds: v.Seconds, Breaks: slices.Clone(v.Breaks),
		})
	}
}
