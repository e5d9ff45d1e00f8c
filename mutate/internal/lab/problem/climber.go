package problem

import (
	"math/rand/v2"
	"slices"

	"evolve/runtime/agent"
)

// climber is the offline optimiser. It uses the true score, which no search may use. It
// climbs from the start and from the best of many uniform points. Each climb changes the
// parameters one at a time (all values of a list, a grid and decreasing steps for numbers,
// flips and swaps of members), then all pairs of choices and switches, until nothing
// improves the score. The climber then perturbs a few parameters of the best point and
// climbs again (iterated local search), until that no longer helps.
type climber struct {
	codec codec
	truth func(point) float64
	rng   *rand.Rand
}

// effort determines how thoroughly a climber searches.
type effort struct {
	// samples is the number of uniform points that are drawn, starts is how many of the
	// best points are used as starting points for a climb, and kicks is the number of
	// consecutive perturbations that may fail.
	samples, starts, kicks int
}

var (
	brisk   = effort{samples: 200, starts: 1, kicks: 3}
	patient = effort{samples: 2000, starts: 8, kicks: 25}
)

// climber returns a climber with the problem's true score and a separate random source.
func (p *Problem) climber() climber {
	return climber{p.codec, p.truth, rand.New(rand.NewPCG(p.noise.salt, 0xc11b))}
}

func (c climber) run(e effort, starts ...point) optimum {
	sample := make([]optimum, e.samples)
	for i := range sample {
		at := c.codec.random(c.rng)
		sample[i] = optimum{at, c.truth(at)}
	}
	slices.SortStableFunc(sample, func(a, b optimum) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	for _, s := range sample[:e.starts] {
		starts = append(starts, s.at)
	}
	var best optimum
	for _, s := range starts {
		if o := c.climb(s); best.at == nil || o.score > best.score {
			best = o
		}
	}
	for failed := 0; failed < e.kicks; failed++ {
		if o := c.climb(c.kick(best.at)); o.score > best.score+1e-9 {
			best, failed = o, 0
		}
	}
	return best
}

// kick redraws two to four parameters of a point.
func (c climber) kick(at point) point {
	next := slices.Clone(at)
	for range 2 + c.rng.IntN(3) {
		if i := c.rng.IntN(len(next)); next.on(i) {
			next[i] = c.codec.draw(i, c.rng)
			c.codec.settle(next, c.rng)
		}
	}
	return next
}

// climb climbs from a point until no move improves it.
func (c climber) climb(from point) optimum {
	o := optimum{from, c.truth(from)}
	for {
		before := o.score
		for i := range o.at {
			o = c.along(o, i)
		}
		if o.score > before+1e-9 {
			continue
		}
		if o = c.pairs(o); o.score <= before+1e-9 {
			return o
		}
	}
}

// along sets one parameter to its best value while the others are fixed.
func (c climber) along(o optimum, i int) optimum {
	if !o.at.on(i) {
		return o
	}
	p := c.codec.params[i]
	switch p.Kind {
	case agent.Choice, agent.Bool:
		for x := range levels(p) {
			o = c.better(o, i, float64(x))
		}
	case agent.Subset, agent.Text:
		size := len(p.Of) + len(p.Lines)
		for k := range size {
			o = c.better(o, i, float64(int(o.at[i])^1<<k))
			for m := range k {
				if old := int(o.at[i]); old>>k&1 != old>>m&1 {
					o = c.better(o, i, float64(old^1<<k^1<<m))
				}
			}
		}
	default:
		const grid = 12
		for x := range grid + 1 {
			o = c.better(o, i, snap(p, float64(x)/grid))
		}
		for step := 0.04; step > 0.001; step /= 2 {
			for _, d := range []float64{-step, step} {
				o = c.better(o, i, snap(p, clamp(o.at[i]+d, 0, 1)))
			}
		}
	}
	return o
}

// pairs tries all combinations of values for every pair of choices or switches.
func (c climber) pairs(o optimum) optimum {
	for i, p := range c.codec.params {
		if p.Kind != agent.Choice && p.Kind != agent.Bool {
			continue
		}
		for j, q := range c.codec.params[:i] {
			if q.Kind != agent.Choice && q.Kind != agent.Bool || !o.at.on(i) || !o.at.on(j) {
				continue
			}
			for x := range levels(p) {
				for y := range levels(q) {
					if next := slices.Clone(o.at); next.on(i) {
						next[i], next[j] = float64(x), float64(y)
						o = c.judge(o, next)
					}
				}
			}
		}
	}
	return o
}

func (c climber) better(o optimum, i int, x float64) optimum {
	if o.at[i] == x {
		return o
	}
	next := slices.Clone(o.at)
	next[i] = x
	return c.judge(o, next)
}

// judge returns the better of a point and a changed point. Parameters that the change
// activates are tuned first.
func (c climber) judge(o optimum, next point) optimum {
	var woken []int
	for i := range next {
		if !next.on(i) && c.codec.active(next, i) {
			woken = append(woken, i)
			next[i] = c.codec.draw(i, c.rng)
		}
	}
	c.codec.settle(next, c.rng)
	found := optimum{next, c.truth(next)}
	for _, i := range woken {
		found = c.along(found, i)
	}
	if found.score > o.score {
		return found
	}
	return o
}
