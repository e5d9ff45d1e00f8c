package problem

import (
	"math"
	"math/rand/v2"
)

// bill computes the cost and duration of evaluations: a base, times a factor for each
// parameter that affects it, times the size of the task, times noise, times the drift
// during the night.
type bill struct {
	// usd and seconds at the cheapest values and a task of size 1.
	usd, seconds float64
	// drivers are, by parameter, the logarithm of the factor over its range.
	drivers []float64
	// sizes of the tasks, and the salt of the noise.
	sizes []float64
	salt  uint64
	// Without drift all are 0. Prices change by the factor exp(change) at the moment
	// turn; seconds increase by the factor exp(swell) and fall again once in the night.
	turn, change, swell float64
}

func newBill(rng *rand.Rand, params, tasks int, drifts bool) bill {
	b := bill{usd: between(rng, 0.0005, 0.005), seconds: between(rng, 1, 10), drivers: make([]float64, params), salt: rng.Uint64()}
	for i := range b.drivers {
		if rng.IntN(3) == 0 {
			b.drivers[i] = between(rng, 0.3, 2)
		}
	}
	for range tasks {
		b.sizes = append(b.sizes, math.Exp(0.5*rng.NormFloat64()))
	}
	if drifts {
		b.turn, b.change, b.swell = between(rng, 0.2, 0.8), between(rng, -1.2, 1.2), between(rng, 0.5, 1.5)
	}
	return b
}

func (b bill) of(at point, task, repeat int, seed int64, moment float64) (usd, seconds float64) {
	log := 0.0
	h := mix(b.salt, uint64(task), uint64(repeat), uint64(seed))
	for i, x := range at {
		h = mix(h, math.Float64bits(x))
		if at.on(i) {
			log += b.drivers[i] * math.Min(x, 1)
		}
	}
	work := b.sizes[task] * math.Exp(log)
	usd = b.usd * work * math.Exp(0.1*normal(mix(h, 1)))
	seconds = b.seconds * work * math.Exp(0.3*normal(mix(h, 2))+b.swell*math.Sin(math.Pi*moment))
	if moment >= b.turn {
		usd *= math.Exp(b.change)
	}
	return usd, seconds
}
