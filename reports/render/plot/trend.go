package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"evolve/reports/number"
)

// Trend shows the score of an agent's champion over the nights, each on that night's
// holdout.
type Trend struct {
	// Nights are the nights that measured the champion and the nights with a mark, earliest
	// first.
	Nights []TrendNight
}

// TrendNight is one night.
type TrendNight struct {
	// Date is the display name of the night. The nights are placed by their times if every
	// night has a time and they are in order of time.
	Date string
	Time time.Time
	// Champion is the name of the config that was measured.
	Champion string
	// Score is NaN if the night did not measure the champion.
	Score float64
	// Adopted is the name of what was adopted from the night; it is empty if nothing was
	// adopted. Fell describes by how much the champion's scores fell; it is empty if they
	// did not fall.
	Adopted, Fell string
}

// Measured reports whether the night measured the champion.
func (n TrendNight) Measured() bool { return finite(n.Score) }

// trendNamed is the maximum number of marks of one kind that the description names.
const trendNamed = 5

// describe returns a description of the trend in words.
func (t Trend) describe() string {
	measured := t.measured()
	n := len(measured)
	if n == 0 {
		return "No night measured the champion."
	}
	first, last := measured[0], measured[n-1]
	s := fmt.Sprintf("The champion scored %s on %s and %s on %s; it was measured in %s. Each night has its own holdout.",
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
	if c := first.Champion; c != "" && c != last.Champion {
		s += " It was " + c + " at first and is " + last.Champion + " now."
	}
	return s + namedMarks("Adopted", adopted) + namedMarks("Fell", fell)
}

// measured returns the nights that measured the champion.
func (t Trend) measured() []TrendNight {
	return slices.DeleteFunc(slices.Clone(t.Nights), func(n TrendNight) bool { return !n.Measured() })
}

// namedMarks returns a list, in words, of the latest marks of a kind.
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

// Draw draws the picture. Adoptions are upward triangles below the line; falls are downward
// triangles above the line. A night that did not measure the champion has its marks at the
// height of the night measured before it or, if there is none, after it.
func (t Trend) Draw() Picture {
	const left, right, top, bottom = 38.0, width - 12, 16.0, 120.0
	g := newPicture("The champion's score over the nights", t.describe(), bottom+24)
	lo, hi := math.Inf(1), math.Inf(-1)
	var line []XY
	for i, n := range t.Nights {
		if n.Measured() {
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
	places := t.places()
	for i := range line {
		line[i].X = places[int(line[i].X)]
	}
	x := linear{places[0], math.Max(places[len(places)-1], places[0]+1), left, right}
	values, decimals := ticks(y.v0, y.v1, 4)
	for _, v := range values {
		g.line("grid", left, y.at(v), right, y.at(v), "")
		g.text("tick", "end", left-6, y.at(v)+4, strings.TrimPrefix(decimal(v, max(decimals, 1)), "0"))
	}
	first, last := t.Nights[0], t.Nights[len(t.Nights)-1]
	g.text("tick", "", left, bottom+18, first.Date)
	g.text("tick", "end", right, bottom+18, last.Date)
	t.months(&g, x, top, bottom)
	t.champions(&g, places, x, top, bottom)
	line = thin(line)
	g.path("series search", straight(line, x, y), "the champion's score")
	measured := t.measured()
	end := line[len(line)-1]
	g.circle("end search", x.at(end.X), y.at(end.Y), 3.5, number.Score(end.Y)+" on "+measured[len(measured)-1].Date)
	score := measured[0].Score
	for i, n := range t.Nights {
		at := x.at(places[i])
		if n.Measured() {
			score = n.Score
		}
		if n.Adopted != "" {
			g.triangle("mark better", at, y.at(score)+10, -7, n.Adopted+" is from the night of "+n.Date)
		}
		if n.Fell != "" {
			g.triangle("mark worse", at, y.at(score)-10, 7, n.Fell+" on "+n.Date)
		}
	}
	return g
}

// places returns the positions of the nights on the time axis. A night's position is its
// day. If a night has no time, or if the nights are not in order of time, all positions are
// the nights' numbers instead.
func (t Trend) places() []float64 {
	days, numbers := make([]float64, len(t.Nights)), make([]float64, len(t.Nights))
	timed := true
	for i, n := range t.Nights {
		numbers[i] = float64(i)
		days[i] = float64(n.Time.Unix()) / 86400
		timed = timed && !n.Time.IsZero() && (i == 0 || days[i] >= days[i-1])
	}
	if timed {
		return days
	}
	return numbers
}

// months draws a line at the beginning of each month, or of fewer months if there is no
// room for all.
func (t Trend) months(g *Picture, x linear, top, bottom float64) {
	first, last := t.Nights[0].Time, t.Nights[len(t.Nights)-1].Time
	if x.v0 < 3650 || !last.After(first) { // numbers of nights
		return
	}
	all := int(last.Sub(first).Hours()/24/30) + 1
	every := (all + 11) / 12
	first = first.UTC()
	for m := time.Date(first.Year(), first.Month()+1, 1, 0, 0, 0, 0, time.UTC); !m.After(last); m = m.AddDate(0, every, 0) {
		at := x.at(float64(m.Unix()) / 86400)
		g.line("grid", at, top, at, bottom, "")
		if at > x.p0+70 && at < x.p1-70 {
			name := "Jan"
			if m.Month() == time.January {
				name = "Jan 2006"
			}
			g.text("tick", "middle", at, bottom+18, m.Format(name))
		}
	}
}

// champions draws a dashed line at each night that was the first to measure a different
// champion, if there is room.
func (t Trend) champions(g *Picture, places []float64, x linear, top, bottom float64) {
	last := math.Inf(-1)
	for i, n := range t.Nights {
		if i == 0 || n.Champion == "" || n.Champion == t.Nights[i-1].Champion {
			continue
		}
		at := x.at(places[i])
		if at-last < 4 {
			continue
		}
		g.line("zero", at, top, at, bottom, "champion "+n.Champion+" from "+n.Date)
		if at-last > 34 && at < x.p1-24 {
			g.text("tick", "", at+3, top+6, n.Champion)
			last = at
		}
	}
}

// triangle draws a triangle around a point; with a negative height, the triangle points up.
func (f *Picture) triangle(class string, x, y, height float64, title string) {
	f.path(class, fmt.Sprintf("M%s %sH%sL%s %sZ", pos(x-5), pos(y-height/2), pos(x+5), pos(x), pos(y+height/2)), title)
}

// straight returns the path of a line through points.
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
