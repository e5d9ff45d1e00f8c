package model

import "slices"

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

// front copies the search's Pareto front, unless it has a single point.
func (b *builder) front() {
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
