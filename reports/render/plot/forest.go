package plot

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"evolve/runtime/text"
)

// Forest shows differences with their intervals, one on each row, around a line at 0. All
// rows share one axis, in points.
type Forest []ForestRow

// ForestRow is one difference. Total marks the overall difference.
type ForestRow struct {
	Label string
	// Value is the difference and its interval as text.
	Value              string
	Difference, Lo, Hi float64
	Total              bool
}

// forestRows is the maximum number of rows that are drawn; the table next to the picture
// has all rows.
const forestRows = 40

// describe returns a description, in words, of how many differences have each direction and
// of the overall difference.
func (f Forest) describe() string {
	count := map[string]int{}
	s := ""
	for _, r := range f {
		if r.Total {
			s = fmt.Sprintf("%s: %s. ", r.Label, r.Value)
			continue
		}
		count[kindOf(r.Lo, r.Hi)]++
	}
	return fmt.Sprintf("%sOf the rows, %d are better, %d are worse and %d show no significant difference.", s, count["better"], count["worse"], count["same"])
}

// Draw draws the picture.
func (f Forest) Draw() Picture {
	const right, top = width - 14, 12.0
	rows := f
	hidden := max(0, len(rows)-forestRows)
	if hidden > 0 {
		rows = slices.Concat(rows[:forestRows/2], rows[len(rows)-forestRows/2:])
	}
	step := 34.0
	if len(rows) > 12 {
		step = 23
	}
	x := forestScale(rows, right)
	bottom := top + step*float64(len(rows))
	g := newPicture("Difference by domain", f.describe(), bottom+24)
	values, decimals := ticks(x.v0, x.v1, 6)
	for _, v := range values {
		class := "grid"
		if v == 0 {
			class = "zero"
		}
		g.line(class, x.at(v), top, x.at(v), bottom, "")
		g.text("tick", "middle", x.at(v), bottom+16, decimal(v, decimals))
	}
	g.text("tick", "end", x.p0-14, bottom+16, "points")
	for i, r := range rows {
		y := top + step*(float64(i)+.5)
		words := r.Label + ": " + r.Value
		g.text("label", "", 0, y+4, text.Clip(r.Label, 23, text.Runes, text.Ellipsis))
		if !finite(r.Difference, r.Lo, r.Hi) {
			continue
		}
		kind := kindOf(r.Lo, r.Hi)
		// A wide invisible line makes the title easy to hover over.
		g.line("whisker "+kind, x.at(r.Lo), y, x.at(r.Hi), y, words)
		g.line("hit", x.at(r.Lo)-6, y, x.at(r.Hi)+6, y, words)
		if r.Total {
			g.diamond("mark "+kind, x.at(r.Difference), y, 8, 7, words)
			continue
		}
		g.circle("mark "+kind, x.at(r.Difference), y, 4.5, words)
	}
	if hidden > 0 {
		g.text("tick", "", 0, top+step*forestRows/2+4, fmt.Sprintf("… %d between", hidden))
	}
	return g
}

// forestScale returns the scale for the differences. The scale leaves room for the labels.
func forestScale(rows []ForestRow, right float64) linear {
	left, lo, hi := 60.0, 0.0, 0.0
	for _, r := range rows {
		left = math.Max(left, math.Min(24+6.6*float64(utf8.RuneCountInString(r.Label)), 175))
		if finite(r.Lo, r.Hi) {
			lo, hi = math.Min(lo, r.Lo), math.Max(hi, r.Hi)
		}
	}
	pad := math.Max((hi-lo)*.06, 1e-9)
	return linear{lo - pad, hi + pad, left, right}
}
