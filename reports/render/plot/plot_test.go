package plot

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi   float64
		want     string
		decimals int
	}{
		{-5, 46, "0 20 40", 0},
		{.58, .76, "0.60 0.65 0.70 0.75", 2},
		{0, 1, "0.0 0.2 0.4 0.6 0.8 1.0", 1},
		{0, 733, "0 200 400 600", 0},
	} {
		values, decimals := ticks(c.lo, c.hi, 5)
		words := make([]string, len(values))
		for i, v := range values {
			words[i] = decimal(v, decimals)
		}
		if got := strings.Join(words, " "); got != c.want || decimals != c.decimals {
			t.Errorf("from %v to %v: %s with %d decimals", c.lo, c.hi, got, decimals)
		}
	}
}

func TestTicksAreFew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e6, 1e6).Draw(t, "lo")
		hi := lo + rapid.Float64Range(1e-3, 1e6).Draw(t, "span")
		values, _ := ticks(lo, hi, 6)
		if len(values) > 7 || len(values) < 1 {
			t.Fatalf("%d ticks from %v to %v", len(values), lo, hi)
		}
		for _, v := range values {
			if v < lo-(hi-lo)*1e-6 || v > hi+(hi-lo)*1e-6 {
				t.Fatalf("tick %v is outside %v to %v", v, lo, hi)
			}
		}
	})
}

// drawings holds each kind of picture at sizes from empty to too large.
func drawings() map[string]Picture {
	out := map[string]Picture{
		"empty forest": Forest{}.Draw(), "empty curve": Curve{}.Draw(), "empty slope": Slope{}.Draw(),
		"odd forest":  Forest{{Label: "<b>", Difference: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1)}, {Label: "zero"}}.Draw(),
		"odd curve":   Curve{Champion: .5, Search: []XY{{1, math.NaN()}, {2, .5}, {3, .5}}}.Draw(),
		"odd slope":   Slope{Tasks: []SlopeTask{{"<script>", math.NaN(), 1}, {"x", 0, 1}}}.Draw(),
		"empty front": Front{}.Draw(), "odd front": Front{Format: plainCount, Points: []FrontMark{{Words: "<b>", Cost: math.NaN(), Front: true}, {Name: "<i>", Score: .5, Own: true}}}.Draw(),
		"empty trend": Trend{}.Draw(), "odd trend": Trend{Nights: []TrendNight{{Score: math.NaN()}, {Score: .5, Champion: "<b>"}, {Score: .6}}}.Draw(),
		"empty heat": Heat{}.Draw(), "odd heat": Heat{Columns: 1, Rows: []HeatRow{{Name: "<b>", Scores: []float64{math.NaN(), 1}}, {Name: "x"}}}.Draw(),
		"empty bars": Bars{}.Draw(), "odd bars": Bars{Left: "<b>", Rows: []BarRow{{"<i>", 0, 0}, {"x", -1, 1 << 40}}}.Draw(),
		"empty lineage": Lineage{}.Draw(), "odd lineage": Lineage{{Name: "<b>", Parents: []string{"<b>", "x"}}, {Name: "x", Parents: []string{"<b>"}, Own: true}}.Draw(),
		"empty influence": Influence{}.Draw(), "odd influence": Influence{{Label: "<b>", Hi: math.Inf(1)}, {Label: "zero"}}.Draw(),
		"odd interval": Interval{Lo: math.NaN()}.Draw(), "interval": Interval{Words: "<i>", Difference: .1, Lo: -.1, Hi: .3}.Draw(),
	}
	for _, n := range []int{10, 500} {
		f, c, s := Forest{}, Curve{Champion: .5}, Slope{Left: "a", Right: "b"}
		p, in, l := Front{Unit: "cost", Format: plainCount}, Influence{}, Lineage{}
		trend, heat := Trend{}, Heat{Columns: min(n, 60)}
		bars := Bars{Left: "champion", Right: "variant"}
		for i := range n {
			x := math.Mod(float64(i)*.6180339887, 1)
			f = append(f, ForestRow{Label: fmt.Sprint("domain ", i), Value: "+1", Difference: x, Lo: x - .3, Hi: x + .3})
			p.Points = append(p.Points, FrontMark{Name: fmt.Sprint("v", i), Words: fmt.Sprintf("v%d scores %.3f at $0.0012", i, x), Cost: float64(i), Score: x, Lo: x - .1, Hi: x + .1, Front: i%100 == 0, Own: i == 3})
			trend.Nights = append(trend.Nights, TrendNight{Date: fmt.Sprint("day ", i), Time: time.Date(2025, 11, i, 2, 0, 0, 0, time.UTC), Score: x, Champion: fmt.Sprint("v", i/7), Fell: strings.Repeat("x", i%25/24)})
			scores := make([]float64, heat.Columns)
			for c := range scores {
				scores[c] = math.Mod(x*float64(c), 1)
			}
			heat.Rows = append(heat.Rows, HeatRow{fmt.Sprint("v", i), scores})
			bars.Rows = append(bars.Rows, BarRow{fmt.Sprint("kind ", i), i, n - i})
			l = append(l, LineageNode{Name: fmt.Sprint("v", i), Words: fmt.Sprint("v", i), Parents: []string{fmt.Sprint("v", 2*i+1), fmt.Sprint("v", 2*i+2)}})
			in = append(in, ForestRow{Label: fmt.Sprint("parameter ", i), Value: "1 [0, 2]", Difference: x, Lo: x / 2, Hi: x + 1})
			c.Search = append(c.Search, XY{float64(i * 40), .5 + .4*float64(i)/float64(n)})
			c.Random = append(c.Random, XY{float64(i * 4), .4 + .2*float64(i)/float64(n)})
			s.Tasks = append(s.Tasks, SlopeTask{fmt.Sprint("task ", i), x, math.Mod(x*7, 1)})
		}
		out[fmt.Sprint("forest of ", n)], out[fmt.Sprint("curve of ", n)], out[fmt.Sprint("slope of ", n)] = f.Draw(), c.Draw(), s.Draw()
		out[fmt.Sprint("trend of ", n)], out[fmt.Sprint("heat of ", n)] = trend.Draw(), heat.Draw()
		out[fmt.Sprint("lineage of ", n)], out[fmt.Sprint("bars of ", n)] = l.Draw(), bars.Draw()
		out[fmt.Sprint("front of ", n)], out[fmt.Sprint("influence of ", n)] = p.Draw(), in.Draw()
	}
	return out
}

func plainCount(x float64) string { return fmt.Sprintf("%.1f", x) }

// TestDrawings checks that every picture is well-formed, has a title and a description,
// lies inside its frame, and has a bounded size.
func TestDrawings(t *testing.T) {
	for name, d := range drawings() {
		svg, err := d.SVG("p1")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(svg) > 40_000 {
			t.Errorf("%s takes %d bytes", name, len(svg))
		}
		if strings.Contains(string(svg), "NaN") || strings.Contains(string(svg), "Inf") {
			t.Errorf("%s draws what is no number", name)
		}
		check(t, name, string(svg))
	}
}

func check(t *testing.T, name, svg string) {
	t.Helper()
	titles, height := 0, 0.0
	dec := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Errorf("%s is not well-formed: %v", name, err)
			return
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "title":
			titles++
		case "script", "b", "i":
			t.Errorf("%s holds the element %s", name, start.Name.Local)
		}
		for _, a := range start.Attr {
			v, err := strconv.ParseFloat(a.Value, 64)
			if a.Name.Local == "viewBox" {
				height, err = strconv.ParseFloat(strings.Fields(a.Value)[3], 64)
				if err != nil {
					t.Errorf("%s: view box %q", name, a.Value)
				}
				continue
			}
			if err != nil {
				continue
			}
			switch a.Name.Local {
			case "x", "x1", "x2", "cx":
				if v < -1 || v > width+1 {
					t.Errorf("%s: %s=%v is outside the picture", name, a.Name.Local, v)
				}
			case "y", "y1", "y2", "cy":
				if v < -1 || v > height+1 {
					t.Errorf("%s: %s=%v is outside the picture", name, a.Name.Local, v)
				}
			}
		}
	}
	if titles == 0 {
		t.Errorf("%s has no title", name)
	}
}

func TestSlopeBundles(t *testing.T) {
	s := Slope{Tasks: []SlopeTask{{"a", 0, 1}, {"b", 0, 1}, {"c", 1, 0}, {"d", 1, 1}, {"e", 1. / 3, 1./3 + 1e-12}}}
	var got []string
	for _, b := range s.bundles() {
		got = append(got, fmt.Sprintf("%.2f→%.2f %s", b.before, b.after, names(b.names)))
	}
	want := []string{"0.33→0.33 e", "1.00→1.00 d", "0.00→1.00 a, b", "1.00→0.00 c"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSpreadGivesRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var labels []endLabel
		for _, y := range rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 5).Draw(t, "y") {
			labels = append(labels, endLabel{y: y})
		}
		out := spread(labels, 14, 100)
		for i := 1; i < len(out); i++ {
			if out[i].y-out[i-1].y < 14-1e-9 {
				t.Fatalf("labels at %v and %v", out[i-1].y, out[i].y)
			}
		}
	})
}
