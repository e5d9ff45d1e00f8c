package irt

// Point is a config as numbers, one for each dimension: a place on the scale 0 … Grid, or
// a negative code, for which only equality counts.
type Point []int16

// Grid is the last place of a numeric dimension.
const Grid = 256

// Dimension is one coordinate of the points.
type Dimension struct {
	// Numeric dimensions have a distance, and so have those of Texts; others have only
	// equality.
	Numeric bool
	// Weight is the dimension's share of a parameter.
	Weight float64
	// Texts are the distances of a dimension of texts; nil for others.
	Texts *Texts
}

// mismatch is the index in the kernel's tables for two places without a distance.
const mismatch = Grid + 1

// apart returns the distance of two places as an index of the kernel's tables.
func apart(a, b int16) int {
	switch {
	case a == b:
		return 0
	case a < 0 || b < 0:
		return mismatch
	case a > b:
		return int(a - b)
	}
	return int(b - a)
}
