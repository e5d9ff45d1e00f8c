package contest

import (
	"math"
	"slices"
)

// halving is successive halving (Jamieson and Talwalkar 2016) by a factor of three. It
// evaluates uniform configs on few tasks, then the best third of them on three times as
// many tasks, and so on until one config is left. The default config is never dropped.
// Every rung costs the same, and the number of configs is chosen so that all rungs
// together cost the budget.
func halving(d *Desk, few int) Outcome {
	const by = 3
	few = d.few(few)
	n := 1
	for rungs := 1; ; rungs++ {
		if n = d.Budget / (few * rungs); float64(n) <= math.Pow(by, float64(rungs-1))*2 {
			break
		}
	}
	rng := d.rand(0x4a1f)
	c := newChart(d.Problem.Space)
	standard := &contender{config: d.Problem.Default()}
	pool := []*contender{standard}
	for range n - 1 {
		pool = append(pool, &contender{config: c.decode(c.random(rng))})
	}
	for tasks := few; ; tasks *= by {
		for _, e := range pool {
			d.advance(e, tasks)
		}
		slices.SortStableFunc(pool, byMean)
		keep := pool[:max(1, len(pool)/by)]
		if d.left() <= 0 || len(keep) == 1 && keep[0] == standard {
			// Means over different tasks are not comparable, so take the best of those with
			// the most tasks.
			most := slices.MaxFunc(pool, func(a, b *contender) int { return a.n - b.n }).n
			pool = slices.DeleteFunc(pool, func(e *contender) bool { return e.n < most })
			return pool[0].outcome()
		}
		if !slices.Contains(keep, standard) {
			keep = append(slices.Clone(keep), standard)
		}
		pool = keep
	}
}
