package problem

import (
	"math"
	"math/rand/v2"
)

// bill computes the cost and duration of evaluations. Each is a base value, multiplied by a
// factor for each parameter that affects it, by the size of the task, by noise, and by the
// drift during the night.
type bill struct {
	// usd and seconds are the cost and the time with the cheapest parameter values on a
	// task of size 1.
	usd, seconds float64
	// drivers holds, for each parameter, the logarithm of its factor at the upper end of
	// its range.
	drivers []float64
	// sizes are the sizes of the tasks, and salt is the salt for the noise.
	sizes []float64
	salt  uint64
	// These fields describe the drift; all are 0 without drift. At the moment given by
	// turn, prices change by the factor exp(change). Durations rise until the middle of
	// the night, by the factor exp(swell), and then fall back.
	turn, change, swell float64
	// price returns the logarithm of a factor that applies only to the cost; nil means
	// none.
	price func(point) float64
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
	h := mix(b.salt, uint64(task), uint64(repeat), uint64(seed))
	for _, x := range at {
		h = mix(h, math.Float64bits(x))
	}
	work := b.work(at, task)
	usd = b.usd * b.dearness(at) * work * math.Exp(unsteady*normal(mix(h, 1)))
	seconds = b.seconds * work * math.Exp(0.3*normal(mix(h, 2))+b.swell*math.Sin(math.Pi*moment))
	if moment >= b.turn {
		usd *= math.Exp(b.change)
	}
	return usd, seconds
}

// unsteady is the standard deviation, over repeats, of the logarithm of a config's cost on
// a task.
const unsteady = 0.1

// work returns the work of a config on a task, relative to the work of the cheapest
// values on a task of size 1.
func (b bill) work(at point, task int) float64 {
	log := 0.0
	for i, x := range at {
		if at.on(i) {
			log += b.drivers[i] * math.Min(x, 1)
		}
	}
	return b.sizes[task] * math.Exp(log)
}

// dearness returns the factor by which the price of a config is multiplied.
func (b bill) dearness(at point) float64 {
	if b.price == nil {
		return 1
	}
	return math.Exp(b.price(at))
}

// expected returns the mean cost of a config on a task over infinitely many repeats, before
// prices drift.
func (b bill) expected(at point, task int) float64 {
	return b.usd * b.dearness(at) * b.work(at, task) * math.Exp(unsteady*unsteady/2)
}
