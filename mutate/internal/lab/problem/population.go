package problem

import (
	"fmt"
	"math"
)

// population is the distribution of tasks, both for the search and for the holdout.
type population struct {
	*maker
	// level is the mean of the thresholds, and difficulty is their standard deviation.
	level, difficulty float64
	// weights are the weights of the tasks, by domain.
	weights []float64
}

func (m *maker) population() population {
	c := population{maker: m, level: m.level.draw(m.rng) * m.spread, difficulty: m.difficulty.draw(m.rng)}
	for range m.domain {
		weight := 1
		if m.weighted {
			weight += m.rng.IntN(3)
		}
		c.weights = append(c.weights, float64(weight))
	}
	return c
}

// items draws n tasks, each of which is in one domain.
func (c population) items(prefix string, n int) []item {
	norm := math.Sqrt(dot(c.maker.weights, c.maker.weights))
	list := make([]item, n)
	for j := range list {
		d := c.rng.IntN(len(c.domain))
		it := item{
			Task:  Task{ID: fmt.Sprintf("%s-%03d", prefix, j+1), Domain: c.domain[d], Weight: c.weights[d]},
			guess: c.guess.draw(c.rng), slip: c.slip.draw(c.rng), quirks: make([]float64, len(c.maker.weights)),
		}
		for k := range c.demands.draw(c.rng) {
			it.demands = append(it.demands, demand{(d + k) % len(c.domain), c.level + c.difficulty*c.rng.NormFloat64()})
		}
		for t, w := range c.maker.weights {
			it.quirks[t] = c.quirk * c.spread * c.rng.NormFloat64() * w / norm
		}
		list[j] = it
	}
	return list
}
