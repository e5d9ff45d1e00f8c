package irt

import "math"

// Own returns the ability according to cells only, with its standard deviation. The ability
// maximises the product of the cells' likelihood at the current task effects and a normal
// prior with the given mean and variance, by Newton's method beginning at start.
func (m *Model) Own(cells []Cell, start, mean, variance float64) (ability, deviation float64) {
	const steps, longest = 20, 1.5
	ability = start
	info := 0.0
	for range steps {
		slope := (mean - ability) / variance
		info = 1 / variance
		for _, c := range cells {
			p := Sigmoid(ability + m.Effects[c.Task])
			slope += (c.Sum - c.N*p) / m.Dispersion
			info += c.N * p * (1 - p) / m.Dispersion
		}
		ability += math.Max(-longest, math.Min(longest, slope/info))
	}
	return ability, 1 / math.Sqrt(info)
}

// Others returns the mean and the variance of an item's ability according to all other
// items: the posterior without the item's own likelihood. The variance includes the part
// that is independent between configs. It returns false for an item that has no information
// of its own.
func (m *Model) Others(i int, ability, deviation float64) (mean, variance float64, ok bool) {
	precision := 1/(deviation*deviation) - 1/m.noise[i]
	if !(precision > 0) {
		return 0, 0, false
	}
	target := ability + m.alpha[i]*m.noise[i]
	return (ability/(deviation*deviation) - target/m.noise[i]) / precision, 1 / precision, true
}

// Likelihood returns the log-likelihood of cells at a given ability.
func (m *Model) Likelihood(cells []Cell, ability float64) float64 {
	sum := 0.0
	for _, c := range cells {
		x := ability + m.Effects[c.Task]
		sum += c.Sum*x - c.N*softplus(x)
	}
	return sum / m.Dispersion
}

// softplus returns log(1 + eˣ).
func softplus(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}
