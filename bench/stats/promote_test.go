package stats

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// TestPosterior compares the posterior of a single normal with an oracle, and that of a
// mixture with a numerical integration.
func TestPosterior(t *testing.T) {
	search, confirmed := Differences{120, 9.6, .17}, Differences{200, 18, .34}
	mean, variance, _ := component{1, .05}.posterior(precision(search, confirmed))
	near(t, "mean by hand", mean, (9.6/.17+18/.34)/(400+120/.17+200/.34), 1e-15)
	near(t, "mean", mean, .06458333333333334, 1e-12)
	near(t, "sd", math.Sqrt(variance), .02429563289518875, 1e-12)
	for _, d := range []Differences{{N: 20, Sum: 12, Variance: 1}, {N: 400, Sum: 12, Variance: 1}, {N: 9, Sum: -4, Variance: .25}, {}} {
		var total, first, second float64
		const step = 1e-4
		for x := -2.; x <= 2; x += step {
			density := math.Exp(-(d.N*x*x/2 - d.Sum*x) / max(d.Variance, leastVariance))
			density *= .7*distuv.Normal{Sigma: .05}.Prob(x) + .3*distuv.Normal{Sigma: .3}.Prob(x)
			total, first, second = total+density, first+density*x, second+density*x*x
		}
		mean, sd := Posterior(d, Differences{})
		near(t, "integrated mean", mean, first/total, 1e-6)
		near(t, "integrated sd", sd, math.Sqrt(second/total-first*first/total/total), 1e-6)
	}
	if mean, sd := Posterior(Differences{N: 3, Sum: 3}, Differences{}); !(mean < .99) || !(sd > .03) {
		t.Errorf("three runs alike count as certainty: %g ± %g", mean, sd)
	}
}

// TestSmallSearch checks that after a small search, a lead of sixty points with a standard
// deviation of twenty-two enters the confirmation, and a lead of fifteen with a standard
// deviation of ten does not.
func TestSmallSearch(t *testing.T) {
	for _, c := range []struct {
		gain, sd float64
		enters   bool
	}{{.6, .22, true}, {.4, .14, true}, {.15, .1, false}, {.05, .05, false}} {
		n := 1 / (c.sd * c.sd)
		mean, sd := Posterior(Differences{n, n * c.gain, 1}, Differences{})
		i, _, why := Promote([]Prospect{{Variant: "a", Mean: mean, SD: sd}}, 1./240, .34, 720)
		if (i == 0) != c.enters {
			t.Errorf("%+.2f ± %.2f is %+.3f ± %.3f: %v", c.gain, c.sd, mean, sd, why)
		}
	}
}

func TestProjectedPairs(t *testing.T) {
	near(t, "by hand", ProjectedPairs(.06, 2, 1./240, .34), (math.Log(240)-2+1)*2*.34/.0036, 1e-9)
	near(t, "oracle", ProjectedPairs(.06, 2, 1./240, .34), 846.3429077423762, 1e-9)
	near(t, "proven", ProjectedPairs(.06, 9, 1./240, .34), 0, 0)
	for _, p := range []float64{ProjectedPairs(0, 0, 1./240, .34), ProjectedPairs(-.1, 0, 1./240, .34), ProjectedPairs(.1, 0, 0, .34), ProjectedPairs(math.NaN(), 0, .05, .34)} {
		if !math.IsInf(p, 1) {
			t.Errorf("%g pairs for what cannot be shown", p)
		}
	}
}

func TestPromote(t *testing.T) {
	const alpha, variance = 1. / 240, .34
	for _, c := range []struct {
		name      string
		prospects []Prospect
		room      float64
		index     int
		projected float64 // 0: none, 1: any
		reason    string
	}{
		{"no prospects", nil, 1e5, -1, 0, ""},
		{"no variant is ahead", []Prospect{{Variant: "a", Mean: .01, SD: .03}, {Variant: "b", Mean: -.02, SD: .01}}, 1e5, -1, 0, "the best, variant a, is estimated at +1.0 points (standard deviation 3.0)"},
		{"all are behind", []Prospect{{Variant: "a", Mean: -.01, SD: .03}}, 1e5, -1, 0, "no variant is ahead of the champion: the best, variant a, is estimated at −1.0 points"},
		{"the best", []Prospect{{Variant: "a", Mean: .03, SD: .02}, {Variant: "b", Mean: .06, SD: .02}, {Variant: "c", Mean: .1, SD: .2}}, 1e5, 1, 1, ""},
		{"the first of equals", []Prospect{{Variant: "a", Mean: .06, SD: .02}, {Variant: "b", Mean: .06, SD: .02}}, 1e5, 0, 1, ""},
		{"an older one with evidence", []Prospect{{Variant: "a", Mean: .03, SD: .02, LogE: 5, Pairs: 3000}, {Variant: "b", Mean: .031, SD: .02}}, 3000, 0, 1, ""},
		{"too dear", []Prospect{{Variant: "a", Mean: .02, SD: .01}}, 3000, -1, 1, "ahead by +2.0 points (standard deviation 1.0), which would take about 12,000 more pairs to show, but a month's confirmations allow only 3,000"},
		{"the next best is affordable", []Prospect{{Variant: "a", Mean: .05, SD: .02, LogE: -60, Pairs: 900}, {Variant: "b", Mean: .04, SD: .02}}, 5000, 1, 1, ""},
	} {
		i, projected, why := Promote(c.prospects, alpha, variance, c.room)
		if i != c.index || (projected > 0) != (c.projected > 0) || why.None() != (c.reason == "") || !strings.Contains(why.Sentence, c.reason) {
			t.Errorf("%s: %d, %g, %+v", c.name, i, projected, why)
		}
	}
}

func TestPromoteProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prospects := make([]Prospect, rapid.IntRange(0, 6).Draw(t, "n"))
		for i := range prospects {
			prospects[i] = Prospect{
				Mean: rapid.Float64Range(-.2, .2).Draw(t, "mean"), SD: rapid.Float64Range(.001, .1).Draw(t, "sd"),
				LogE: rapid.Float64Range(-9, 9).Draw(t, "evidence"),
			}
		}
		room := rapid.Float64Range(0, 1e4).Draw(t, "room")
		best, projected, _ := Promote(prospects, 1./240, .34, room)
		for i, p := range prospects {
			able := p.Mean > 0 && p.Mean >= p.SD && ProjectedPairs(p.Mean, p.LogE, 1./240, .34) <= room
			if able && (best < 0 || p.Mean > prospects[best].Mean) {
				t.Fatalf("%d was passed over for %d", i, best)
			}
			if i == best && (!able || projected > room) {
				t.Fatalf("%d was promoted with %g pairs into %g", i, projected, room)
			}
		}
	})
}

// TestResumedCap checks that a resumed candidate is parked again only after twice as many
// pairs as are newly projected for it.
func TestResumedCap(t *testing.T) {
	near(t, "first", ResumedCap(0, 800), 800, 0)
	near(t, "resumed", surplus*ResumedCap(1600, 300), 1600+2*300, 1e-9)
}
