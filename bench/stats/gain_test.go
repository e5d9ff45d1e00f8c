package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"evolve/bench/metrics"
)

// excess is a metric whose base values have the given mean size.
func excess(size float64) metrics.Kind {
	return metrics.Kind{Name: "excess", Unit: "%", Better: metrics.Lower, Size: size}
}

// valued returns a pair for the given case (of), with the variant's values b and the
// champion's values a; base is the base's value.
func valued(of string, k metrics.Kind, base float64, a, b []float64) Pair {
	p := Pair{Task: of, Cluster: of, Weight: 1, Values: Measured{A: a, B: b}}
	score := func(v float64) float64 { return .5 + .5*(base-v)/(k.Size/4+math.Abs(base-v)) }
	for r := range a {
		p.A, p.B = append(p.A, score(a[r])), append(p.B, score(b[r]))
	}
	return p
}

func TestGainOf(t *testing.T) {
	t.Parallel()
	k := excess(6.5)
	var pairs []Pair
	for i, d := range []float64{-.2, -.4, -.6, 0, .2} {
		base := 6 + float64(i)/4
		pairs = append(pairs, valued(string(rune('a'+i)), k, base, []float64{base}, []float64{base + d}))
	}
	pairs = append(pairs, valued("failed", k, 7, []float64{7}, []float64{math.NaN()}))
	g, s := gainOf(k, pairs, .95)
	near(t, "difference", g.Difference, -.2, 1e-12)
	near(t, "standard error", s.se, math.Sqrt(.02), 1e-12) // of the five differences
	g.Interval = &Interval{Lo: -.592648, Hi: .192648}
	if g.Cases != 5 || g.Missing != 1 || g.Gains != 3 || g.Losses != 1 || g.Ties != 1 || g.Shown() != 0 {
		t.Errorf("%+v", g)
	}
	if got, want := g.Words()+", on "+g.Size(), "excess 6.50 → 6.30 %, −0.20 percentage points, 95 % interval −0.59 to +0.19, on 5 of 6 cases"; got != want {
		t.Errorf("Words = %q, want %q", got, want)
	}
	if g, s := gainOf(k, pairs[:1], .95); s.telling() || g.Words() != "excess 6.00 → 5.80 %, −0.20 percentage points" {
		t.Errorf("one case: %+v", g)
	}
	if g, _ := gainOf(k, pairs[5:], .95); g != nil {
		t.Errorf("no case with both values: %+v", g)
	}
}

// TestTheSameOnEveryCase checks that if all cases change by the same amount, no interval
// of zero or nearly zero width is claimed, unlike in older records.
func TestTheSameOnEveryCase(t *testing.T) {
	t.Parallel()
	k := metrics.Kind{Name: "hits", Better: metrics.Higher, Size: 1, Form: metrics.Form}
	var pairs []Pair
	for i := range 10 {
		p := Pair{Task: string(rune('a' + i)), A: []float64{.5}, B: []float64{.5 + .5*50/50.25}, Values: Measured{A: []float64{0}, B: []float64{50}}}
		pairs = append(pairs, p)
	}
	r := Judge("v", pairs, Rule{Alpha: .05 / 12, Fixed: true}.Of(&k))
	if g := r.Metric; g.Interval != nil || !g.Same || g.Shown() != 1 || r.State != Proven || r.Discord() != "" || g.Words() != "hits 0 → 50, +50 on every case" {
		t.Errorf("%s, %q, %q: %+v", r.State, g.Words(), r.Discord(), g)
	}
	k.Form = 0
	if r := Judge("v", pairs, Rule{Alpha: .05 / 12, Fixed: true}.Of(&k)); r.Metric.Interval == nil || r.Metric.Same {
		t.Errorf("an older record: %+v", r.Metric)
	}
}

// TestFiguresAddUp checks that the shown means and difference add up, except in the words
// of older records, which are computed again and must stay the same.
func TestFiguresAddUp(t *testing.T) {
	t.Parallel()
	g := Gain{Kind: metrics.Kind{Name: "costs", Unit: "€", Better: metrics.Lower, Size: 100, Form: metrics.Form}, A: 122.6, B: 2.34, Difference: -120.26}
	if got := g.Values() + ", " + g.Change(); got != "122.6 → 2.3 €, −120.3 €" {
		t.Errorf("the figures are %q", got)
	}
	if g.B, g.Difference = 2, -120.6; g.Values()+", "+g.Change() != "123 → 2 €, −121 €" {
		t.Errorf("the figures are %q, %q", g.Values(), g.Change())
	}
	g.A, g.B, g.Difference, g.Form = 122.6, 2.34, -120.26, 0
	if got := g.Values() + ", " + g.Change(); got != "123 → 2 €, −120 €" {
		t.Errorf("the figures of an older record are %q", got)
	}
}

// TestPercentagePointsInRecords checks that the sentences in records express a difference
// between percentages in percentage points. The sentences of older records, which are
// computed again, still use the unit of the values.
func TestPercentagePointsInRecords(t *testing.T) {
	t.Parallel()
	k := excess(10)
	var pairs []Pair
	for i := range 10 {
		pairs = append(pairs, valued(string(rune('a'+i)), k, 10, []float64{10}, []float64{8 - float64(i)/10}))
	}
	for points, want := range map[bool]string{false: "excess 10.00 → 7.55 %, −2.45 %, 95 % interval", true: "excess 10.00 → 7.55 %, −2.45 percentage points, 95 % interval"} {
		k.Points = points
		r := Judge("v", pairs, Rule{Alpha: .05 / 12, Fixed: true}.Of(&k))
		for what, words := range map[string]string{"the reason": r.Reason, "the sentence": Conclude([]Ruling{r}, Circumstances{Searched: true}).Sentence} {
			if !strings.Contains(words, want) {
				t.Errorf("%s with %t is %q", what, points, words)
			}
		}
		if got := r.Metric.Change(); got != "−2.45 percentage points" {
			t.Errorf("the change is shown as %q", got)
		}
	}
}

// TestGainOfRuling rules on versions for which the mean of the metric and the scores
// disagree.
func TestGainOfRuling(t *testing.T) {
	t.Parallel()
	k := excess(10)
	for name, c := range map[string]struct {
		changes []float64 // changes to the values of cases whose base value is 10
		want    string
	}{
		"better":               {[]float64{-1, -1.2, -.9, -1.1, -1, -.8, -1.3, -1, -1.1, -1}, ""},
		"one case much worse":  {[]float64{-1, -1.2, -.9, -1.1, -1, -.8, -1.3, -1, -1.1, 50}, "the mean of excess is nevertheless worse: the score, on which the verdict is based, gives less weight to a large change in one case"},
		"one case much better": {[]float64{1, 1.2, .9, 1.1, 1, .8, 1.3, 1, 1.1, -50}, "the mean of excess is nevertheless better: the score, on which the verdict is based, gives less weight to a large change in one case"},
		"far from equal":       {[]float64{-1, -1.2, -.9, -1.1, -1, -.8, -1.3, -1, -1.1, -90}, "by itself, the mean of excess does not show an improvement: the score, on which the verdict is based, gives less weight to a large change in one case"},
	} {
		var pairs []Pair
		for i, d := range c.changes {
			pairs = append(pairs, valued(string(rune('a'+i)), k, 10, []float64{10}, []float64{10 + d}))
		}
		r := Judge("v", pairs, Rule{Alpha: .05 / 12, Fixed: true, Metric: &k, Even: true})
		if got := r.Discord(); got != c.want {
			t.Errorf("%s: %q, want %q (%s, %+v)", name, got, c.want, r.Claim, r.Metric)
		}
		if g := r.Metric; g.Interval.Lo > g.Difference || g.Interval.Hi < g.Difference || (g.Interval.Hi-g.Difference) < (r.Difference-r.New.Lo)*5-1e-9 {
			t.Errorf("%s: the interval %v is narrower than that of the scores %v", name, g.Interval, r.New)
		}
		// Student's interval of the changes, which is the wider interval if the changes
		// vary a lot.
		if name == "one case much worse" {
			near(t, "lo", r.Metric.Interval.Lo, -7.487503, 1e-5)
			near(t, "hi", r.Metric.Interval.Hi, 15.607503, 1e-5)
		}
		if few := Judge("v", pairs[:7], Rule{Alpha: .05 / 12, Fixed: true, Metric: &k, Even: true}); few.Metric.Interval != nil {
			t.Errorf("%s: seven cases have the interval %v", name, few.Metric.Interval)
		}
	}
}

// TestEven checks that no interval of relative scores leaves the range of possible
// differences. A scores ½, so outside that range B would score more than 1 or less than 0.
func TestEven(t *testing.T) {
	t.Parallel()
	k := excess(10)
	for name, changes := range map[string][]float64{
		"all alike":  {-9, -9, -9, -9, -9, -9, -9, -9},
		"few, apart": {-9, -9, -.1, -9},
		"worse":      {9, 9, 9, 9, 9, 1},
		"one":        {-9},
	} {
		var pairs []Pair
		for i, d := range changes {
			pairs = append(pairs, valued(string(rune('a'+i)), k, 10, []float64{10, 10}, []float64{10 + d, 10 + d}))
		}
		check := func(what string, i Interval) {
			if i.Lo < -.5 || i.Hi > .5 || i.Lo > i.Hi {
				t.Errorf("%s, %s: %+v", name, what, i)
			}
		}
		c := CompareEven(pairs, .95)
		check("CompareEven", Interval{Lo: c.Lo, Hi: c.Hi})
		if c := Compare(pairs, .95); name != "worse" && c.MeanA+c.Hi <= 1 {
			t.Errorf("%s: Compare shows nothing to mend: %+v", name, c)
		}
		for _, fixed := range []bool{true, false} {
			r := Judge("v", pairs, Rule{Alpha: .05 / 12, Fixed: fixed, Metric: &k, Even: true})
			check("new", r.New)
			check("these", Interval{Lo: r.Lo, Hi: r.Hi})
			check("month", r.Month)
		}
	}
	// If eight clusters agree, this rules out that more than a share of 1 − .025^(1/8) of
	// all clusters behaves differently; that share may have any difference of up to ±½.
	var pairs []Pair
	for i := range 8 {
		pairs = append(pairs, Pair{Task: string(rune('a' + i)), A: []float64{.5}, B: []float64{.9}})
	}
	c, q := CompareEven(pairs, .95), 1-math.Pow(.025, 1./8)
	near(t, "lo", c.Lo, .4-q*.9, 1e-12)
	near(t, "hi", c.Hi, .4+q*.1, 1e-12)
	near(t, "p", c.P, math.Pow(1.8, -8), 1e-12)
}

// TestEvenWithChance checks that an interval contains its estimate even if the side that
// scores ½ on average has a different mean on these tasks by chance.
func TestEvenWithChance(t *testing.T) {
	t.Parallel()
	var pairs []Pair
	for i := range 20 {
		low := .35 + .1*float64(i%2)
		pairs = append(pairs, Pair{Task: string(rune('a' + i)), A: []float64{low, low}, B: []float64{.98, .99}})
	}
	for _, fixed := range []bool{true, false} {
		r := Judge("v", pairs, Rule{Alpha: .05 / 12, Fixed: fixed, Even: true})
		if i, _ := r.Shown(); i.Lo > r.Difference || i.Hi < r.Difference || r.MeanA+i.Hi > 1+1e-12 {
			t.Errorf("%.3f → %.3f: %+v", r.MeanA, r.MeanB, i)
		}
	}
}

// TestGainCoverage draws cases whose true gains differ, with values that vary by chance,
// and looks after every block until the claim is decided. The interval must cover the mean
// gain on all cases in at least 95 % of the looks.
func TestGainCoverage(t *testing.T) {
	t.Parallel()
	const worlds, cases, blocks = 300, 15, 8
	k := excess(10)
	covered, looked := 0, 0
	for world := range worlds {
		rng := rand.New(rand.NewPCG(uint64(world), 1))
		pairs := make([]Pair, cases)
		gains := make([]float64, cases)
		for i := range gains {
			gains[i] = -.4 + .5*rng.NormFloat64()
		}
		var r Ruling
		for block := range blocks {
			for i := range pairs {
				a, b := 10+rng.NormFloat64(), 10+gains[i]+rng.NormFloat64()
				if block == 0 {
					pairs[i] = Pair{Task: string(rune('a' + i)), Weight: 1}
				}
				p := valued(pairs[i].Task, k, 10, append(pairs[i].Values.A, a), append(pairs[i].Values.B, b))
				pairs[i] = p
			}
			if r = Judge("v", pairs, Rule{Alpha: .05 / 12, Metric: &k}); block > 0 && r.State != Open {
				break
			}
		}
		looked++
		if i := r.Metric.Interval; i != nil && i.Lo <= -.4 && -.4 <= i.Hi {
			covered++
		}
	}
	if share := float64(covered) / float64(looked); share < .95 {
		t.Errorf("%d of %d intervals cover the gain", covered, looked)
	} else {
		t.Logf("%.3f of the intervals cover the gain", share)
	}
}
