package irt

import "math"

// FirstText is the code of the first text in a dimension of texts; text i has the code
// FirstText − i.
const FirstText int16 = -4

// mostTexts is the maximum number of texts that have distances. A further text is only
// compared for equality with other texts.
const mostTexts = 2048

// Texts holds the distances between the texts in a dimension, in [0,1]. They must be
// Euclidean, because a Gaussian of them must be a covariance.
type Texts struct {
	n, stride int
	apart     []int16 // distance by pair, as positions 0 … Grid
}

// Len returns the number of texts.
func (t *Texts) Len() int { return t.n }

// Add adds a text with its distances to the texts that were added earlier.
func (t *Texts) Add(distances []float64) {
	if t.n == mostTexts {
		return
	}
	if t.n == t.stride {
		wide := max(16, 2*t.stride)
		apart := make([]int16, wide*wide)
		for i := range t.n {
			copy(apart[i*wide:], t.apart[i*t.stride:i*t.stride+t.n])
		}
		t.apart, t.stride = apart, wide
	}
	for i, d := range distances[:t.n] {
		at := int16(math.Round(Grid * math.Max(0, math.Min(1, d))))
		t.apart[i*t.stride+t.n], t.apart[t.n*t.stride+i] = at, at
	}
	t.apart[t.n*t.stride+t.n] = 0
	t.n++
}

// Truncate removes all texts except the first n.
func (t *Texts) Truncate(n int) { t.n = min(t.n, n) }

// row returns the distances of the text with the given code; nil if the text has no
// distances.
func (t *Texts) row(code int16) []int16 {
	i := int(FirstText) - int(code)
	if t == nil || i < 0 || i >= t.n {
		return nil
	}
	return t.apart[i*t.stride : i*t.stride+t.n]
}

// along returns the distance between the text that code stands for and the text with the
// given row. The distance is an index into the kernel's tables.
func along(row []int16, code int16) int {
	if i := int(FirstText) - int(code); i >= 0 && i < len(row) {
		return int(row[i])
	}
	return mismatch
}
