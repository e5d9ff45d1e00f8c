package provider

import "evolve/runtime/agent"

// Price is what a model costs, in US dollars per million tokens.
type Price struct {
	Input, Output float64
	// Cached is for input that the provider had in its cache; 0 means the price of
	// other input.
	Cached float64
}

// writing is the price of input that is written to a cache, as a multiple of other
// input.
const writing = 1.25

// usage returns a usage with its price.
func (p Price) usage(u usage) agent.Usage {
	return agent.Usage{InputTokens: u.input, OutputTokens: u.output, CachedTokens: u.cached, CostUSD: p.cost(u)}
}

// cost returns the price of a usage in US dollars.
func (p Price) cost(u usage) float64 {
	cached := p.Cached
	if cached == 0 {
		cached = p.Input
	}
	plain := u.input - u.cached - u.written
	return (float64(plain)*p.Input + float64(u.cached)*cached + float64(u.written)*p.Input*writing + float64(u.output)*p.Output) / 1e6
}
