package problem

import "math"

// priced replaces the costs of evaluations. The logarithm of the new cost of a config
// depends partly on the config's skill and is partly unrelated to it. Among uniform
// configs, the most expensive one costs ten to thirty times as much as the cheapest.
func (m *maker) priced(sample []point) {
	m.p.Priced = true
	rest := m.mixture(sample, 1)
	skill := func(at point) float64 {
		sum := 0.0
		skills := m.p.landscape.view(at).skills
		for _, s := range skills {
			sum += s / (float64(len(skills)) * m.spread)
		}
		return sum
	}
	quality := between(m.rng, 0, 0.7)
	price := func(at point) float64 { return quality*skill(at) + math.Sqrt(1-quality*quality)*rest(at) }
	least, most := math.Inf(1), math.Inf(-1)
	for _, at := range sample {
		least, most = math.Min(least, price(at)), math.Max(most, price(at))
	}
	scale := math.Log(between(m.rng, 10, 30)) / (most - least)
	clear(m.p.bill.drivers)
	m.p.bill.price = func(at point) float64 { return scale * price(at) }
}
