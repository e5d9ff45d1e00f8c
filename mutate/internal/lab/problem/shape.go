package problem

import (
	"math"
	"math/rand/v2"
)

// shape is the effect of a number on the unit scale; its values range from about 0 to 1.
type shape func(u float64) float64

// peak returns a shape that has its maximum at one position and falls off on both sides.
func peak(at, width float64) shape {
	return func(u float64) float64 { d := (u - at) / width; return math.Exp(-d * d) }
}

// saturating returns a shape that has diminishing returns and declines for very high
// values.
func saturating(scale, decline float64) shape {
	return func(u float64) float64 {
		over := math.Max(0, u-0.7)
		return 1 - math.Exp(-u/scale) - decline*over*over
	}
}

// plateau returns a shape that is flat between two positions and falls off outside them.
func plateau(lo, hi, edge float64) shape {
	return func(u float64) float64 { return logistic((u-lo)/edge) * logistic((hi-u)/edge) }
}

// cliff returns a shape that jumps at one position.
func cliff(at float64, up bool) shape {
	sign := 1.0
	if !up {
		sign = -1
	}
	return func(u float64) float64 { return logistic(sign * (u - at) / 0.02) }
}

// bumpy returns a shape with waves added, so neighbors of a good value may be bad.
func bumpy(base shape, waves, phase, height float64) shape {
	return func(u float64) float64 { return base(u) + height*math.Sin(2*math.Pi*(waves*u+phase)) }
}

// gentle draws a shape without cliffs.
func gentle(rng *rand.Rand) shape {
	switch rng.IntN(4) {
	case 0:
		return saturating(between(rng, 0.1, 0.5), between(rng, 0, 3))
	case 1:
		lo := between(rng, 0, 0.5)
		return plateau(lo, lo+between(rng, 0.2, 0.5), between(rng, 0.04, 0.12))
	}
	return peak(rng.Float64(), between(rng, 0.15, 0.4))
}

// anyShape draws a gentle shape or, one time in four, a cliff.
func anyShape(rng *rand.Rand) shape {
	if rng.IntN(4) == 0 {
		return cliff(between(rng, 0.15, 0.85), rng.IntN(2) == 0)
	}
	return gentle(rng)
}

// jagged draws a shape with waves.
func jagged(rng *rand.Rand) shape {
	return bumpy(anyShape(rng), between(rng, 3, 7), rng.Float64(), between(rng, 0.15, 0.35))
}

// between returns a number drawn uniformly from [lo, hi).
func between(rng *rand.Rand, lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
