package plot

import (
	"fmt"
	"slices"
	"strings"

	"evolve/runtime/text"
)

// Influence shows how much each parameter changes the score, most influential first. All
// rows share one axis, in points, which begins at 0.
type Influence []ForestRow

// influenceRows is the maximum number of rows that are drawn.
const influenceRows = 16

// describe returns a description of the influences in words.
func (f Influence) describe() string {
	var shown []string
	for _, r := range f {
		if r.Lo > 0 {
			shown = append(shown, r.Label+" "+r.Value)
		}
	}
	s := fmt.Sprintf("An influence on the score is shown for %d of %d parameters", len(shown), len(f))
	if n := len(shown) - 5; n > 0 {
		shown = append(shown[:5], fmt.Sprintf("%d more", n))
	}
	if len(shown) > 0 {
		s += ": " + strings.Join(shown, ", ")
	}
	return s + "."
}

// Draw draws the picture.
func (f Influence) Draw() Picture {
	const right, top = width - 14, 12.0
	rows := slices.Clone(f[:min(len(f), influenceRows)])
	step := 26.0
	x := forestScale(rows, right)
	x.v0 = 0
	bottom := top + step*float64(len(rows))
	g := newPicture("How much each parameter moves the score", f.describe(), bottom+24)
	values, decimals := ticks(x.v0, x.v1, 6)
	for _, v := range values {
		g.line("grid", x.at(v), top, x.at(v), bottom, "")
		g.text("tick", "middle", x.at(v), bottom+16, decimal(v, decimals))
	}
	g.text("tick", "end", x.p0-14, bottom+16, "points")
	for i, r := range rows {
		y := top + step*(float64(i)+.5)
		words, kind := r.Label+": "+r.Value, "same"
		g.text("label", "", 0, y+4, text.Clip(r.Label, 23, text.Runes, text.Ellipsis))
		if !finite(r.Difference, r.Lo, r.Hi) {
			continue
		}
		if r.Lo > 0 {
			kind = "better"
		}
		g.line("whisker "+kind, x.at(r.Lo), y, x.at(r.Hi), y, words)
		g.line("hit", x.at(r.Lo), y, x.at(r.Hi)+6, y, words)
		g.circle("mark "+kind, x.at(r.Difference), y, 4.5, words)
	}
	return g
}
