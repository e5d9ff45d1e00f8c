package mutate

import (
	"math"
	"math/rand/v2"
	"slices"

	"evolve/mutate/irt"
	"evolve/runtime/agent"
)

// active reports whether a setting is active at a point.
func (c *codec) active(x irt.Point, i int) bool {
	for _, n := range c.settings[i].needs {
		if !slices.Contains(n.codes, x[c.settings[n.setting].first]) {
			return false
		}
	}
	return true
}

// normalize makes a point consistent after a change. Settings that are no longer active are
// marked as inactive. Settings that become active are drawn half of the time and otherwise
// get their default.
func (c *codec) normalize(x irt.Point, rng *rand.Rand) {
	for _, i := range c.order {
		st := &c.settings[i]
		to := x[st.first : st.first+st.dims]
		switch {
		case !c.active(x, i):
			for k := range to {
				to[k] = inactive
			}
		case to[0] == inactive && rng.IntN(2) == 0:
			copy(to, c.home[st.first:])
		case to[0] == inactive:
			st.draw(to, rng)
		}
	}
}

// draw draws the codes of a setting. For an active text with offered lines, it preserves
// the rest of the text.
func (st *setting) draw(to []int16, rng *rand.Rand) {
	p := st.param
	switch p.Kind {
	case agent.Float, agent.Int:
		to[0] = st.snapped[rng.IntN(irt.Grid+1)]
	case agent.Choice:
		to[0] = category - int16(rng.IntN(len(p.Values)))
	case agent.Bool:
		to[0] = presence(rng.IntN(2) == 0)
	case agent.Subset:
		most := mostItems(p)
		size := p.MinItems + rng.IntN(most-p.MinItems+1)
		for k, at := range rng.Perm(len(to)) {
			to[at] = presence(k < size)
		}
	case agent.Text:
		if st.texts.demonstrations {
			st.drawDemonstrations(to, rng)
			return
		}
		if to[0] > category || len(st.members) == 0 && st.texts.kept > 1 && rng.IntN(2) == 0 {
			to[0] = category - int16(rng.IntN(st.texts.kept))
		}
		size := rng.IntN(4)
		for k, at := range rng.Perm(len(to) - 1) {
			to[1+at] = presence(k < size)
		}
	}
}

// drawDemonstrations draws demonstrations from the pool, if there is one.
func (st *setting) drawDemonstrations(to []int16, rng *rand.Rand) {
	switch {
	case st.pool != nil && st.pool.Most > 0:
		st.set(to, st.texts.add(st.pool.Draw(st.param, rng)))
	case to[0] == inactive:
		st.set(to, st.texts.keep(st.own))
	}
}

// mostItems returns the maximum number of members of a subset.
func mostItems(p agent.Param) int {
	if p.MaxItems == 0 {
		return len(p.Of)
	}
	return min(p.MaxItems, len(p.Of))
}

// random draws a point. Positions that are not drawn are the champion's.
func (c *codec) random(champion irt.Point, rng *rand.Rand) irt.Point {
	x := slices.Clone(champion)
	for _, i := range c.order {
		st := &c.settings[i]
		to := x[st.first : st.first+st.dims]
		if to[0] == inactive {
			copy(to, c.home[st.first:])
		}
		st.draw(to, rng)
	}
	c.normalize(x, rng)
	return x
}

// cross returns a point that has each setting from one of two points, chosen at random.
func (c *codec) cross(a, b irt.Point, rng *rand.Rand) irt.Point {
	x := slices.Clone(a)
	for i := range c.settings {
		st := &c.settings[i]
		if rng.IntN(2) == 0 {
			copy(x[st.first:st.first+st.dims], b[st.first:])
		}
	}
	c.normalize(x, rng)
	return x
}

// mutate changes a few settings, two and a half on average, drawn by their weights, which
// add up to 1. A number moves by a normal step whose standard deviation is drawn
// log-uniformly between .02 and .4 of the number's range.
func (c *codec) mutate(from irt.Point, weights []float64, rng *rand.Rand) irt.Point {
	x := slices.Clone(from)
	size := 0.02 * math.Pow(20, rng.Float64())
	for n := 1 + int(1.5*rng.ExpFloat64()); n > 0; n-- {
		i, u := 0, rng.Float64()
		for i < len(weights)-1 && u >= weights[i] {
			u -= weights[i]
			i++
		}
		st := &c.settings[i]
		to := x[st.first : st.first+st.dims]
		if to[0] != inactive {
			st.change(to, size, rng)
		}
	}
	c.normalize(x, rng)
	return x
}

// change moves a setting to another value.
func (st *setting) change(to []int16, size float64, rng *rand.Rand) {
	switch st.param.Kind {
	case agent.Float, agent.Int:
		u := math.Abs(float64(to[0])/irt.Grid + size*rng.NormFloat64())
		if u > 1 {
			u = math.Max(0, 2-u)
		}
		next := st.snapped[int(u*irt.Grid+0.5)]
		if next == to[0] && st.param.Kind == agent.Int {
			next = st.beside(to[0], rng)
		}
		to[0] = next
	case agent.Subset:
		st.changeMembers(to, rng)
	case agent.Text:
		if n := st.texts.kept; len(st.members) == 0 {
			st.rewrite(to, rng)
		} else if n > 1 && rng.IntN(len(to)) == 0 {
			to[0] = category - int16(rng.IntN(n))
		} else if len(to) > 1 {
			flip(to, 1+rng.IntN(len(to)-1))
			if rng.IntN(4) == 0 {
				flip(to, 1+rng.IntN(len(to)-1))
			}
		}
	default:
		st.draw(to, rng)
	}
}

// beside returns the grid position of the next higher or next lower whole number, chosen at
// random.
func (st *setting) beside(at int16, rng *rand.Rand) int16 {
	step := 1 - 2*rng.IntN(2)
	for i := int(at); i >= 0 && i <= irt.Grid; i += step {
		if st.snapped[i] != at {
			return st.snapped[i]
		}
	}
	return at
}

// changeMembers adds, removes or swaps a member within the bounds on the number of members.
func (st *setting) changeMembers(to []int16, rng *rand.Rand) {
	have := 0
	for _, c := range to {
		if c == present {
			have++
		}
	}
	at := rng.IntN(len(to))
	grows := to[at] != present
	fits := grows && have < mostItems(st.param) || !grows && have > st.param.MinItems
	if fits {
		flip(to, at)
	}
	if fits && rng.IntN(4) != 0 {
		return
	}
	// For a swap, take the first other member whose change goes in the opposite direction.
	start := rng.IntN(len(to))
	for k := range to {
		other := (start + k) % len(to)
		if other != at && (to[other] != present) != grows {
			if !fits {
				flip(to, at)
			}
			flip(to, other)
			return
		}
	}
}

func flip(to []int16, at int) { to[at] = presence(to[at] != present) }

// weigh returns a weight for each setting. Half of the total weight is divided evenly, and
// half by the relevance of the settings' dimensions. The weights add up to 1.
func (c *codec) weigh(relevance []float64) []float64 {
	out := make([]float64, len(c.settings))
	total := 0.0
	for _, r := range relevance {
		total += r
	}
	for i, st := range c.settings {
		for _, r := range relevance[st.first : st.first+st.dims] {
			out[i] += 0.5 * r / total
		}
		out[i] += 0.5 / float64(len(c.settings))
	}
	return out
}
