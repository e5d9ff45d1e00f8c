package provider

import "evolve/runtime/agent"

// Price is what a model costs, in US dollars per million tokens.
type Price struct {
	Input, Output float64
	// Cached is the price of input that the provider read from its cache; 0 means the same
	// price as for other input.
	Cached float64
}

// writing is the price of input that is written to a cache, as a multiple of the price of
// other input.
const writing = 1.25

// usage returns a usage together with its cost.
func (p Price) usage(u usage) agent.Usage {
	return agent.Usage{InputTokens: u.input, OutputTokens: u.output, CachedTokens: u.cached, CostUSD: p.cost(u)}
}

// cost returns the cost of a usage in US dollars.
func (p Price) cost(u usage) float64 {
	cached := p.Cached
	if cached == 0 {
		cached = p.Input
	}
	plain := u.input - u.cached - u.written
	return (float64(plain)*p.Input + float64(u.cached)*cached + float64(u.written)*p.Input*writing + float64(u.output)*p.Output) / 1e6
}
