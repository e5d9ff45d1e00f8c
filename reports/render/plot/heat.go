package plot

import (
	"fmt"
	"math"
	"strings"

	"evolve/reports/number"
	"evolve/runtime/text"
)

// Heat is a heat map of the scores of variants by task. It has a row for each variant and a
// column for each task or group of tasks. A cell is darker for a higher score, and empty if
// the variant was not evaluated on the column's tasks.
type Heat struct {
	Columns int
	Rows    []HeatRow
}

// HeatRow holds the scores of one variant by column; a score is NaN if the variant was not
// evaluated on the column's tasks.
type HeatRow struct {
	Name   string
	Scores []float64
}

// The maximum number of rows in the picture, and the number of shades.
const (
	heatRows   = 16
	heatShades = 5
)

// describe returns a description of the heat map in words.
func (h Heat) describe() string {
	var words []string
	for _, r := range h.Rows[:min(len(h.Rows), heatRows)] {
		words = append(words, r.words())
	}
	if len(words) == 0 {
		return "Nothing was evaluated."
	}
	return strings.Join(words, "; ") + "."
}

// words describes a row by its mean over the columns.
func (r HeatRow) words() string {
	sum, n := 0.0, 0
	for _, s := range r.Scores {
		if finite(s) {
			sum, n = sum+s, n+1
		}
	}
	if n == 0 {
		return r.Name + " was not evaluated"
	}
	return fmt.Sprintf("%s has a mean score of %s in %s of %d columns", r.Name, number.Score(sum/float64(n)), number.Count(n), len(r.Scores))
}

// Draw draws the picture.
func (h Heat) Draw() Picture {
	const left, right, top, step = 78.0, width, 6.0, 18.0
	rows := h.Rows[:min(len(h.Rows), heatRows)]
	g := newPicture("Scores by variant and task", h.describe(), top+step*float64(len(rows))+44)
	wide := (right - left) / float64(max(1, h.Columns))
	box := func(x, y, w float64) string {
		return fmt.Sprintf("M%s %sh%sv14h-%sz", pos(x), pos(y), pos(w), pos(w))
	}
	for i, r := range rows {
		y := top + step*float64(i)
		g.text("label", "", 0, y+12, text.Clip(r.Name, 11, text.Runes, text.Ellipsis))
		var shades [heatShades]strings.Builder
		for c, s := range r.Scores[:min(len(r.Scores), h.Columns)] {
			if finite(s) {
				shades[shadeOf(s)].WriteString(box(left+wide*float64(c), y, math.Max(.5, wide-.6)))
			}
		}
		for n := range shades {
			if shades[n].Len() > 0 {
				g.path(fmt.Sprintf("heat s%d", n), shades[n].String(), r.words())
			}
		}
	}
	y := top + step*float64(len(rows)) + 12
	g.text("tick", "", left, y, "easiest task")
	g.text("tick", "end", right, y, "hardest")
	for n := range heatShades {
		x := left + 46*float64(n)
		g.path(fmt.Sprintf("heat s%d", n), box(x, y+8, 14), "")
		g.text("tick", "", x+18, y+19, shadeNames[n])
	}
	return g
}

// shadeNames holds the names of the shades. The name of a shade is the lowest score for
// which it stands.
var shadeNames = [heatShades]string{"0", ".01", ".34", ".67", "1"}

// shadeOf returns the index of the shade for a score: there is one shade for 0, one for
// each third of the scores between 0 and 1, and one for 1.
func shadeOf(s float64) int {
	switch {
	case s < .005:
		return 0
	case s >= .995:
		return heatShades - 1
	}
	return 1 + min(2, int(s*3))
}
