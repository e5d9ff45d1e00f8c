package irt

import "math"

// Own returns the ability by cells alone, with its standard deviation: the mode of their
// likelihood at the current task effects times a normal prior with the given mean and
// variance, by Newton's method from start.
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
