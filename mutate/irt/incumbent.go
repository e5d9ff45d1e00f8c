package irt

import "math"

// elevation is the prior mean of the incumbent's ability over that of a random config, in
// prior standard deviations of a config's ability: its owner has chosen it among some.
const elevation = 1.0

// mean returns the prior mean of the ability at a point: that of the incumbent, as far as
// the point correlates with it. It is the expectation of the Gaussian process at the point,
// given that at the incumbent (Rasmussen & Williams 2006, 2.19).
func (m *Model) mean(x Point) float64 {
	if m.incumbent == nil {
		return 0
	}
	return elevation * math.Sqrt(m.kernel.own-constant) * m.Correlation(x, m.incumbent)
}

// residuals returns targets minus their prior means.
func (m *Model) residuals(points []Point, targets []float64) []float64 {
	out := make([]float64, len(targets))
	for i, x := range points {
		out[i] = targets[i] - m.mean(x)
	}
	return out
}
