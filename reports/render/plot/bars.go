package plot

import (
	"fmt"
	"math"
	"strings"

	"evolve/reports/number"
	"evolve/runtime/text"
)

// Bars shows two counts, before and after, for each kind.
type Bars struct {
	Left, Right string
	Rows        []BarRow
}

// BarRow has the label and the two counts of one kind in a chart of [Bars].
type BarRow struct {
	Label         string
	Before, After int
}

// barRows is the maximum number of kinds that are drawn.
const barRows = 12

// describe returns a description of the bars in words.
func (b Bars) describe() string {
	var words []string
	for _, r := range b.Rows[:min(len(b.Rows), barRows)] {
		words = append(words, fmt.Sprintf("%s %s → %s", r.Label, number.Count(r.Before), number.Count(r.After)))
	}
	if len(words) == 0 {
		return "Nothing failed."
	}
	return fmt.Sprintf("Failures (%s → %s): %s.", b.Left, b.Right, strings.Join(words, "; "))
}

// Draw draws the picture. The bars of the left side are hollow, and those of the right side
// are filled.
func (b Bars) Draw() Picture {
	const left, right, top, step = 150.0, width - 40, 10.0, 42.0
	rows := b.Rows[:min(len(b.Rows), barRows)]
	g := newPicture("Failures before and after", b.describe(), top+step*float64(len(rows))+6)
	most := 1
	for _, r := range rows {
		most = max(most, r.Before, r.After)
	}
	x := linear{0, float64(most), left, right}
	for i, r := range rows {
		y := top + step*float64(i)
		g.text("label", "", 0, y+21, text.Clip(r.Label, 21, text.Runes, text.Ellipsis))
		for j, side := range []struct {
			class, name string
			n           int
		}{{"bar before", b.Left, r.Before}, {"bar after", b.Right, r.After}} {
			at := y + 2 + 16*float64(j)
			g.path(side.class, fmt.Sprintf("M%s %sH%sV%sH%sZ", pos(left), pos(at), pos(math.Max(left+1, x.at(float64(side.n)))), pos(at+13), pos(left)), fmt.Sprintf("%s, %s: %s", r.Label, side.name, number.Count(side.n)))
			g.text("tick", "", x.at(float64(side.n))+6, at+11, number.Count(side.n))
		}
	}
	return g
}
