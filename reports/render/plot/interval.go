package plot

import "math"

// Interval shows one difference with its interval, relative to 0.
type Interval struct {
	Words              string
	Difference, Lo, Hi float64
	// Less reports whether lower values are better.
	Less bool
}

// Draw draws the picture.
func (i Interval) Draw() Picture {
	const left, right, y = 10.0, width - 10, 18.0
	g := newPicture("Difference on the holdout", i.Words, 54)
	if finite(i.Difference, i.Lo, i.Hi) {
		lo, hi := math.Min(0, i.Lo), math.Max(0, i.Hi)
		pad := math.Max((hi-lo)*.08, 1e-9)
		x := linear{lo - pad, hi + pad, left, right}
		kind := kindOf(i.Lo, i.Hi)
		if i.Less {
			kind = kindOf(-i.Hi, -i.Lo)
		}
		zero := x.at(0)
		g.line("axis", left, y, right, y, "")
		g.line("zero", zero, 4, zero, 32, "")
		g.text("tick", anchorAt(zero), zero, 47, "no difference")
		g.line("whisker wide "+kind, x.at(i.Lo), y, x.at(i.Hi), y, i.Words)
		g.diamond("mark "+kind, x.at(i.Difference), y, 10, 9, i.Words)
	}
	return g
}

// anchorAt returns the text anchor that keeps a label inside the picture.
func anchorAt(x float64) string {
	switch {
	case x < 50:
		return ""
	case x > width-50:
		return "end"
	}
	return "middle"
}
