package problem

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"evolve/runtime/agent"
)

// effect is a term before it is standardised: the contribution of one or a few parameters.
// It is 0 if a parameter that it needs is inactive.
type effect = func(point) float64

// single returns the effect of a single parameter.
func single(rng *rand.Rand, p agent.Param, i int, draw func(*rand.Rand) shape) effect {
	if p.Numeric() {
		f := draw(rng)
		return func(at point) float64 {
			if !at.on(i) {
				return 0
			}
			return f(at[i])
		}
	}
	var table []float64
	switch p.Kind {
	case agent.Subset, agent.Text:
		table = crowd(rng, len(p.Of)+len(p.Lines))
	default:
		for range levels(p) {
			table = append(table, rng.NormFloat64())
		}
	}
	return func(at point) float64 {
		if !at.on(i) {
			return 0
		}
		return table[int(at[i])]
	}
}

// crowd returns a table over the subsets of members. Each member has its own value, and
// most members help a little, but if more than half of them are present, they interfere
// with each other.
func crowd(rng *rand.Rand, members int) []float64 {
	worth := make([]float64, members)
	for k := range worth {
		worth[k] = 0.2 + rng.NormFloat64()
	}
	price := between(rng, 0.3, 0.8)
	table := make([]float64, 1<<members)
	for mask := range table {
		for k, w := range worth {
			if mask>>k&1 == 1 {
				table[mask] += w
			}
		}
		table[mask] -= price * math.Pow(math.Max(0, float64(bits.OnesCount(uint(mask)))-float64(members)/2), 1.5)
	}
	return table
}

// pair returns the interaction of two choices or switches: a table without main effects, so
// neither has an effect on its own.
func pair(rng *rand.Rand, i, n, j, m int) effect {
	table := make([][]float64, n)
	columns := make([]float64, m)
	for a := range table {
		table[a] = make([]float64, m)
		row := 0.0
		for b := range table[a] {
			table[a][b] = rng.NormFloat64()
			row += table[a][b]
		}
		for b := range table[a] {
			table[a][b] -= row / float64(m)
			columns[b] += table[a][b] / float64(n)
		}
	}
	return func(at point) float64 {
		if !at.on(i) || !at.on(j) {
			return 0
		}
		return table[int(at[i])][int(at[j])] - columns[int(at[j])]
	}
}

// bend returns the effect of a number whose best value depends on another parameter:
// through a table if that parameter is a choice or a switch, and linearly if it is a
// number.
func bend(rng *rand.Rand, number, other int, p agent.Param) effect {
	width := between(rng, 0.15, 0.3)
	places := make([]float64, levels(p))
	for k := range places {
		places[k] = rng.Float64()
	}
	return func(at point) float64 {
		if !at.on(number) || !at.on(other) {
			return 0
		}
		place := 0.0
		if p.Numeric() {
			place = places[0] + at[other]*(places[1]-places[0])
		} else {
			place = places[int(at[other])]
		}
		return peak(place, width)(at[number])
	}
}

// chain returns the effect of a number that helps only if two other parameters have the
// right values, such as the number of steps with a planner and a critic. If only one of
// these parameters has the right value, small numbers help and large ones do not; if
// neither has it, the number has no effect.
func chain(rng *rand.Rand, number, i, n, j, m int) effect {
	first, second := float64(rng.IntN(n)), float64(rng.IntN(m))
	full, half := saturating(between(rng, 0.2, 0.5), between(rng, 0, 2)), peak(between(rng, 0, 0.3), 0.25)
	return func(at point) float64 {
		if !at.on(number) || !at.on(i) || !at.on(j) {
			return 0
		}
		switch {
		case at[i] == first && at[j] == second:
			return full(at[number])
		case at[i] == first || at[j] == second:
			return 0.3 * half(at[number])
		}
		return 0
	}
}

// member is one bit of the value of a subset or text parameter.
type member struct{ param, bit int }

func (m member) in(at point) bool { return at.on(m.param) && int(at[m.param])>>m.bit&1 == 1 }

// team returns the effect of a set of members: 1 if the set is complete, and a third if one
// member is missing.
func team(members []member) effect {
	return func(at point) float64 {
		missing := 0
		for _, m := range members {
			if !m.in(at) {
				missing++
			}
		}
		switch missing {
		case 0:
			return 1
		case 1:
			return 1.0 / 3
		}
		return 0
	}
}

// clash returns the effect of two members that contradict each other.
func clash(a, b member) effect {
	return func(at point) float64 {
		if a.in(at) && b.in(at) {
			return -1
		}
		return 0
	}
}
