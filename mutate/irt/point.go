package irt

// Point is a config as numbers, one for each dimension. A number is either a position on
// the scale 0 … Grid or a negative code, for which only equality matters.
type Point []int16

// Grid is the last position in a numeric dimension.
const Grid = 256

// Dimension is one coordinate of points.
type Dimension struct {
	// Numeric reports whether the dimension is numeric. Positions in a numeric dimension
	// have distances, as do positions in a dimension with Texts; in all other dimensions,
	// positions are only equal or different.
	Numeric bool
	// Weight is the dimension's share of the parameter to which it belongs.
	Weight float64
	// Texts holds the distances in a dimension of texts; nil for other dimensions.
	Texts *Texts
}

// mismatch is the index into the kernel's tables for two positions that have no distance.
const mismatch = Grid + 1

// apart returns the distance between two positions as an index into the kernel's tables.
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
