package model

import (
	"cmp"
	"slices"

	"evolve/runtime/agent"
)

// FrontPoint is a variant on the Pareto front of score, cost and time, as the search
// estimates them on its tasks.
type FrontPoint struct {
	Scored
	// CostUSD and Seconds are means of an evaluation; 0 means unknown.
	CostUSD float64 `json:"cost_usd,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	// Breaks names the guards that the variant is expected to break.
	Breaks []string `json:"breaks,omitempty"`
}

// TriedPoint is a variant that the search tried on at least [leastShared] tasks of the champion's:
// the champion's estimated score plus their mean difference on these, within 0 and 1, and means of an evaluation.
// Unlike estimates of the search it is not corrected for chance, so that the best of many flatter.
type TriedPoint struct {
	Variant Ref     `json:"variant"`
	Score   float64 `json:"score"`
	Shared  int     `json:"shared"`
	CostUSD float64 `json:"cost_usd,omitempty"`
	// Tokens are read and written ones together.
	Tokens float64 `json:"tokens,omitempty"`
}

// leastShared is the least number of common evaluations of a [TriedPoint], mostTried the greatest
// number of points, those with the most evaluations.
const (
	leastShared = 20
	mostTried   = 150
)

// triedPoints lists what the search tried besides the front, and the variant of the headline.
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

// front copies the search's Pareto front, unless it has a single point.
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
