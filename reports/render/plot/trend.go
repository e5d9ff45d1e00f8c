package plot

import (
	"fmt"
	"math"
	"strings"

	"evolve/reports/number"
)

// Trend shows the score of an agent's champion over nights, each on the holdout of its night.
type Trend struct {
	// Nights are the nights that measured the champion, the earliest first.
	Nights []TrendNight
}

// TrendNight is one night.
type TrendNight struct {
	// Date names it.
	Date  string
	Score float64
	// Adopted names what was adopted of it, and Fell tells by how much the champion's scores fell;
	// empty for none.
	Adopted, Fell string
}

// trendNamed is the maximum number of marks of a kind that the description names.
const trendNamed = 5

// describe describes the picture in words.
func (t Trend) describe() string {
	n := len(t.Nights)
	if n == 0 {
		return "No night measured the champion."
	}
	first, last := t.Nights[0], t.Nights[n-1]
	s := fmt.Sprintf("The champion scored %s on %s and %s on %s, over %s that measured it. Each night has a holdout of its own.",
		number.Score(first.Score), first.Date, number.Score(last.Score), last.Date, number.Plural(n, "night"))
	var adopted, fell []string
	for _, one := range t.Nights {
		if one.Adopted != "" {
			adopted = append(adopted, one.Adopted)
		}
		if one.Fell != "" {
			fell = append(fell, one.Fell+" on "+one.Date)
		}
	}
	return s + namedMarks("Adopted", adopted) + namedMarks("Fell", fell)
}

// namedMarks lists the latest marks of a kind.
func namedMarks(kind string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	more := ""
	if n := len(list) - trendNamed; n > 0 {
		list, more = list[n:], fmt.Sprintf(", and %s before", number.Count(n))
	}
	return " " + kind + ": " + strings.Join(list, ", ") + more + "."
}

// Draw draws the picture. Adoptions are triangles that point up below the line, falls triangles
// that point down above it.
func (t Trend) Draw() Picture {
	const left, right, top, bottom = 38.0, width - 12, 16.0, 120.0
	g := newPicture("The champion's score over the nights", t.describe(), bottom+24)
	lo, hi := math.Inf(1), math.Inf(-1)
	var line []XY
	for i, n := range t.Nights {
		if finite(n.Score) {
			line = append(line, XY{float64(i), n.Score})
			lo, hi = math.Min(lo, n.Score), math.Max(hi, n.Score)
		}
	}
	if len(line) == 0 {
		return g
	}
	pad := math.Max((hi-lo)*.15, .02)
	y := linear{math.Max(0, lo-pad), math.Min(1, hi+pad), bottom, top}
	if y.v1-y.v0 < 1e-6 {
		y.v0, y.v1 = y.v0-.01, y.v1+.01
	}
	x := linear{0, float64(max(1, len(t.Nights)-1)), left, right}
	values, decimals := ticks(y.v0, y.v1, 4)
	for _, v := range values {
		g.line("grid", left, y.at(v), right, y.at(v), "")
		g.text("tick", "end", left-6, y.at(v)+4, strings.TrimPrefix(decimal(v, max(decimals, 1)), "0"))
	}
	first, last := t.Nights[0], t.Nights[len(t.Nights)-1]
	g.text("tick", "", left, bottom+18, first.Date)
	g.text("tick", "end", right, bottom+18, last.Date)
	line = thin(line)
	g.path("series search", straight(line, x, y), "the champion's score")
	end := line[len(line)-1]
	g.circle("end search", x.at(end.X), y.at(end.Y), 3.5, number.Score(end.Y)+" on "+last.Date)
	for i, n := range t.Nights {
		at, score := x.at(float64(i)), n.Score
		if !finite(score) {
			continue
		}
		if n.Adopted != "" {
			g.triangle("mark better", at, y.at(score)+10, -7, n.Adopted+" is of the night of "+n.Date)
		}
		if n.Fell != "" {
			g.triangle("mark worse", at, y.at(score)-10, 7, n.Fell+" on "+n.Date)
		}
	}
	return g
}

// triangle draws a triangle around a point; a negative height points up.
func (f *Picture) triangle(class string, x, y, height float64, title string) {
	f.path(class, fmt.Sprintf("M%s %sH%sL%s %sZ", pos(x-5), pos(y-height/2), pos(x+5), pos(x), pos(y+height/2)), title)
}

// straight returns the path of a line through the points.
func straight(points []XY, x, y linear) string {
	var b strings.Builder
	for i, p := range points {
		step := "L"
		if i == 0 {
			step = "M"
		}
		b.WriteString(step + pos(x.at(p.X)) + " " + pos(y.at(p.Y)))
	}
	return b.String()
}
