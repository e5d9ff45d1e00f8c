// Package plot draws the pictures of a report as inline SVG: for example, a forest plot,
// the best score so far, and the tasks before and after. It provides scales and marks,
// takes plain numbers and words, computes no statistics and does no I/O. Colours come from
// the page's style sheet by class; differences also have a shape or dash, so that no
// information depends only on colour. Every picture has a title, a description and titles
// on its marks.
package plot

import (
	"math"
	"strconv"
	"strings"
)

// width is the width of every picture in user units. The page shows pictures at nearly
// their natural size, so that text stays legible on a phone.
const width = 420.0

// linear maps a range of values to a range of positions.
type linear struct {
	v0, v1, p0, p1 float64
}

func (l linear) at(v float64) float64 {
	if l.v1 == l.v0 {
		return (l.p0 + l.p1) / 2
	}
	return l.p0 + (l.p1-l.p0)*(v-l.v0)/(l.v1-l.v0)
}

// ticks returns at most n+1 round values (1, 2 or 5 times a power of ten) inside [lo, hi],
// and the number of decimals that they need.
func ticks(lo, hi float64, n int) (values []float64, decimals int) {
	if !(hi > lo) || n < 1 || math.IsInf(hi-lo, 0) {
		return nil, 0
	}
	raw := (hi - lo) / float64(n)
	power := math.Floor(math.Log10(raw))
	step := math.Pow(10, power)
	for _, m := range []float64{1, 2, 5, 10} {
		if m*step >= raw*(1-1e-9) {
			step *= m
			break
		}
	}
	decimals = max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+step*1e-9; i++ {
		v := i * step
		if v == 0 {
			v = 0 // no negative zero
		}
		values = append(values, v)
	}
	return values, decimals
}

// pos formats a position with at most two decimals.
func pos(x float64) string {
	s := strconv.FormatFloat(x, 'f', 2, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// decimal formats a tick's value with a true minus sign.
func decimal(v float64, decimals int) string {
	return strings.ReplaceAll(strconv.FormatFloat(v, 'f', decimals, 64), "-", "−")
}

// kindOf returns the CSS class for a difference, chosen by its interval.
func kindOf(lo, hi float64) string {
	switch {
	case lo > 0:
		return "better"
	case hi < 0:
		return "worse"
	}
	return "same"
}

// finite reports whether every value is a finite number, so that it can be drawn.
func finite(values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
