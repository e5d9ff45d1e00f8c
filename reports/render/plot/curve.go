package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"evolve/reports/number"
)

// Curve shows what a search recommended after each number of evaluations, and what random
// search recommended after the same number of its own evaluations. The scores are estimates
// made at the end of the search.
type Curve struct {
	Search []XY
	Random []XY
	// Champion is the score of the champion, with which the search started.
	Champion float64
}

// XY is a score after X evaluations.
type XY struct{ X, Y float64 }

// drawn is the maximum number of points that are drawn in a line.
const drawn = 240

// describe returns a description of the curves in words.
func (c Curve) describe() string {
	if len(c.Search) == 0 {
		return "Nothing was searched."
	}
	end := c.Search[len(c.Search)-1]
	s := fmt.Sprintf("Each recommendation is rated using everything known at the end of the search. The last one, after %[2]s evaluations, is expected to score %[1]s, and the champion %[3]s.", number.Score(end.Y), grouped(end.X), number.Score(c.Champion))
	if n := len(c.Random); n > 0 {
		s += fmt.Sprintf(" The best config found by a separate random search, after %[2]s evaluations: %[1]s.", number.Score(c.Random[n-1].Y), grouped(c.Random[n-1].X))
	}
	return s
}

// Draw draws the picture.
func (c Curve) Draw() Picture {
	const left, right, top, bottom = 38.0, width - 76, 14.0, 200.0
	search, random := thin(c.Search), thin(c.Random)
	lo, hi := c.Champion, c.Champion
	last := 1.0
	for _, p := range slices.Concat(search, random) {
		lo, hi, last = math.Min(lo, p.Y), math.Max(hi, p.Y), math.Max(last, p.X)
	}
	pad := math.Max((hi-lo)*.12, .01)
	y := linear{math.Max(0, lo-pad), math.Min(1, hi+pad), bottom, top}
	if y.v1-y.v0 < 1e-6 {
		y.v0, y.v1 = y.v0-.01, y.v1+.01
	}
	x := linear{0, last, left, right}
	g := newPicture("What the search recommended, by evaluations spent", c.describe(), bottom+42)
	values, decimals := ticks(y.v0, y.v1, 5)
	for _, v := range values {
		g.line("grid", left, y.at(v), right, y.at(v), "")
		g.text("tick", "end", left-6, y.at(v)+4, strings.TrimPrefix(decimal(v, max(decimals, 1)), "0"))
	}
	values, _ = ticks(0, last, 4)
	for _, v := range values {
		if v == math.Trunc(v) {
			g.text("tick", "middle", x.at(v), bottom+17, grouped(v))
		}
	}
	g.text("tick", "end", right, bottom+34, "evaluations")
	labels := []endLabel{{"champion", y.at(c.Champion)}}
	g.line("series champion", left, y.at(c.Champion), right, y.at(c.Champion), "champion: "+number.Score(c.Champion))
	if n := len(random); n > 0 {
		end := random[n-1]
		g.path("series random", stairs(random, x, y), "random search")
		if end.X < last {
			g.line("series random level", x.at(end.X), y.at(end.Y), right, y.at(end.Y), "")
		}
		g.circle("end random", x.at(end.X), y.at(end.Y), 3.5, fmt.Sprintf("random search: %s after %s evaluations", number.Score(end.Y), grouped(end.X)))
		labels = append(labels, endLabel{"random", y.at(end.Y)})
	}
	if n := len(search); n > 0 {
		end := search[n-1]
		g.path("series search", stairs(search, x, y), "search")
		every := max(1, n/24)
		for i := every - 1; i < n-1; i += every {
			p := search[i]
			g.circle("hit", x.at(p.X), y.at(p.Y), 7, fmt.Sprintf("recommended: %s after %s evaluations", number.Score(p.Y), grouped(p.X)))
		}
		g.circle("end search", x.at(end.X), y.at(end.Y), 4, fmt.Sprintf("recommended: %s after %s evaluations", number.Score(end.Y), grouped(end.X)))
		labels = append(labels, endLabel{"search", y.at(end.Y)})
	}
	for _, l := range spread(labels, 14, bottom) {
		g.text("label "+l.words, "", right+8, l.y+4, l.words)
	}
	return g
}

// endLabel is a label at the end of a line; its words also serve as its class.
type endLabel struct {
	words string
	y     float64
}

// spread moves labels apart until each has enough room, keeping their order.
func spread(labels []endLabel, room, bottom float64) []endLabel {
	out := slices.Clone(labels)
	slices.SortStableFunc(out, func(a, b endLabel) int { return cmp.Compare(a.y, b.y) })
	for i := 1; i < len(out); i++ {
		out[i].y = math.Max(out[i].y, out[i-1].y+room)
	}
	if n := len(out); n > 0 && out[n-1].y > bottom {
		out[n-1].y = bottom
		for i := n - 2; i >= 0; i-- {
			out[i].y = math.Min(out[i].y, out[i+1].y-room)
		}
	}
	return out
}

// stairs returns the path of a step function.
func stairs(points []XY, x, y linear) string {
	var b strings.Builder
	fmt.Fprintf(&b, "M%s %s", pos(x.at(points[0].X)), pos(y.at(points[0].Y)))
	for _, p := range points[1:] {
		fmt.Fprintf(&b, "H%sV%s", pos(x.at(p.X)), pos(y.at(p.Y)))
	}
	return b.String()
}

// thin drops the points that are not finite. If more than [drawn] points remain, it selects
// that many at even steps, including the last point.
func thin(points []XY) []XY {
	clean := make([]XY, 0, len(points))
	for _, p := range points {
		if finite(p.X, p.Y) {
			clean = append(clean, p)
		}
	}
	if len(clean) <= drawn {
		return clean
	}
	out := make([]XY, 0, drawn)
	for i := range drawn {
		out = append(out, clean[i*(len(clean)-1)/(drawn-1)])
	}
	return out
}

// grouped formats a whole number with thousands separators.
func grouped(v float64) string { return number.Count(int(math.Round(v))) }
