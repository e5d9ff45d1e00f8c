package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"evolve/reports/number"
)

// Front is a chart of score against cost. It shows the variants that no other variant
// beats, the champion and the report's variant, and other variants that were tried.
type Front struct {
	// Unit is the name of the cost; Format formats an amount of the cost.
	Unit   string
	Format func(float64) string
	Points []FrontMark
}

// FrontMark is the mark of one variant in the chart of the front. Name is empty for a
// variant that was tried and is shown only as background.
type FrontMark struct {
	Name  string
	Words string
	Cost  float64
	Score float64
	// Lo and Hi are the bounds of the score; both are 0 if the bounds are unknown.
	Lo, Hi float64
	// Front reports whether no other variant beats this one; Own marks the champion and the
	// report's variant.
	Front, Own bool
}

// frontOthers is the maximum number of variants that are drawn only as background.
const frontOthers = 150

// describe returns a description of the front in words.
func (f Front) describe() string {
	var front []string
	others := 0
	for _, p := range f.Points {
		switch {
		case p.Front && len(front) < 6:
			front = append(front, p.Words)
		case !p.Front && !p.Own:
			others++
		}
	}
	s := "The Pareto front, cheapest first: " + strings.Join(front, "; ") + "."
	if len(front) == 0 {
		s = "No variant is on the Pareto front."
	}
	if others > 0 {
		s += " " + number.Plural(others, "variant") + " tried besides."
	}
	return s
}

// Draw draws the picture.
func (f Front) Draw() Picture {
	const left, right, top, bottom = 38.0, width - 16, 14.0, 200.0
	g := newPicture("Quality against "+f.Unit, f.describe(), bottom+42)
	var front, own, others []FrontMark
	for _, p := range f.Points {
		switch {
		case !finite(p.Cost, p.Score, p.Lo, p.Hi):
		case p.Front:
			front = append(front, p)
		case p.Own:
			own = append(own, p)
		case len(others) < frontOthers:
			others = append(others, p)
		}
	}
	all := slices.Concat(front, own, others)
	if len(all) == 0 {
		return g
	}
	lo, hi, most := math.Inf(1), math.Inf(-1), 0.0
	for _, p := range all {
		lo, hi, most = math.Min(lo, p.Score), math.Max(hi, p.Score), math.Max(most, p.Cost)
		if p.Lo < p.Hi {
			lo, hi = math.Min(lo, p.Lo), math.Max(hi, p.Hi)
		}
	}
	pad := math.Max((hi-lo)*.08, .01)
	x := linear{0, math.Max(most*1.06, 1e-12), left, right}
	y := linear{math.Max(0, lo-pad), math.Min(1, hi+pad), bottom, top}
	if y.v1-y.v0 < 1e-6 {
		y.v0, y.v1 = y.v0-.01, y.v1+.01
	}
	values, decimals := ticks(y.v0, y.v1, 5)
	for _, v := range values {
		g.line("grid", left, y.at(v), right, y.at(v), "")
		g.text("tick", "end", left-6, y.at(v)+4, strings.TrimPrefix(decimal(v, max(decimals, 1)), "0"))
	}
	values, _ = ticks(0, x.v1, 5)
	for _, v := range values {
		g.text("tick", "middle", x.at(v), bottom+17, f.Format(v))
	}
	g.text("tick", "end", right, bottom+34, f.Unit)
	for _, p := range others {
		g.circle("other", x.at(p.Cost), y.at(p.Score), 3, p.Words)
	}
	slices.SortStableFunc(front, func(a, b FrontMark) int { return cmp.Compare(a.Cost, b.Cost) })
	if len(front) > 1 {
		points := make([]XY, len(front))
		for i, p := range front {
			points[i] = XY{p.Cost, p.Score}
		}
		g.path("series search", stairs(points, x, y), "the Pareto front")
	}
	for _, p := range slices.Concat(front, own) {
		if p.Lo < p.Hi {
			g.line("whisker", x.at(p.Cost), y.at(p.Lo), x.at(p.Cost), y.at(p.Hi), p.Words)
		}
	}
	var labels []placed
	for _, p := range slices.Concat(front, own) {
		cx, cy := x.at(p.Cost), y.at(p.Score)
		if p.Own {
			g.diamond("mark better", cx, cy, 7, 7, p.Words)
			labels = append(labels, placed{p.Name, cx, cy})
			continue
		}
		g.circle("mark", cx, cy, 4.5, p.Words)
	}
	for _, l := range labels {
		anchor, at := "", l.x+11
		if l.x > (left+right)/2 {
			anchor, at = "end", l.x-11
		}
		g.text("label", anchor, at, math.Max(l.y-9, top), l.words)
	}
	return g
}

// placed is a label whose position in the picture has been chosen.
type placed struct {
	words string
	x, y  float64
}

// FrontWords returns a description of a variant by name, score and cost.
func FrontWords(name string, score float64, cost string) string {
	return fmt.Sprintf("%s scores %s at %s", name, number.Score(score), cost)
}
