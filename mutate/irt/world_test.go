package irt

import (
	"math/rand/v2"
)

// dims returns a mix of kinds of dimensions.
func dims() []Dimension {
	return []Dimension{{Numeric: true, Weight: 1}, {Numeric: true, Weight: 1}, {Weight: 1}, {Weight: 0.5}, {Weight: 0.5}}
}

// textDims returns dims with texts instead of the category. The third text has no
// distances.
func textDims() []Dimension {
	list := dims()
	list[2].Texts = &Texts{}
	list[2].Texts.Add(nil)
	list[2].Texts.Add([]float64{0.4})
	return list
}

// anyPoint draws a point of dims, sometimes with an inactive dimension.
func anyPoint(rng *rand.Rand) Point {
	x := Point{int16(rng.IntN(Grid + 1)), int16(rng.IntN(Grid + 1)), int16(-4 - rng.IntN(3)), int16(-2 - rng.IntN(2)), int16(-2 - rng.IntN(2))}
	if rng.IntN(5) == 0 {
		x[1] = -1
	}
	return x
}

// anyItems draws items with scores from a hidden model: ability rises with the first
// dimension, and tasks differ.
func anyItems(rng *rand.Rand, n, tasks int, graded bool) (items []Item, abilities, effects []float64) {
	for range tasks {
		effects = append(effects, 1.5*rng.NormFloat64())
	}
	for range n {
		it := Item{Point: anyPoint(rng)}
		f := 3*float64(it.Point[0])/Grid - 1.5
		for j := range tasks {
			if rng.IntN(2) == 0 {
				continue
			}
			p := Sigmoid(f + effects[j])
			score := 0.0
			switch {
			case graded:
				score = min(1, max(0, p+0.05*rng.NormFloat64()))
			case rng.Float64() < p:
				score = 1
			}
			c := Cell{Task: int32(j)}
			c.Add(score, 1)
			it.Cells = append(it.Cells, c)
		}
		items, abilities = append(items, it), append(abilities, f)
	}
	return items, abilities, effects
}
