package stats

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPowerByHand(t *testing.T) {
	// One block on 40 tasks of a fixed agent is a t-test. The difference detectable with 80
	// % power is that of the shifted t-distribution, about (t_{1−α} + t_{.8})·s/√M.
	d := Design{Tasks: 40, Units: 40, Alpha: .025, Within: .2, Between: .05, Fixed: true}
	near(t, "t-test", d.Detectable(40), (2.022690920+.850610)*.5/math.Sqrt(40), .002)
	// Without variance between tasks, the test is the confidence sequence: normal sums
	// compared with its width.
	d = Design{Tasks: 100, Units: 100, Alpha: 1. / 240, Within: .25, Between: 1e-9, Night: 1e-9}
	h := halfWidth(1000, .25+.01, 1, 1./480)
	near(t, "sequence", d.Power(.1, 1000), .5*math.Erfc((h-.1)/math.Sqrt(2*.25/1000)), .02)
}

func TestPowerOfNothing(t *testing.T) {
	d := Design{Tasks: 40, Units: 40, Tonight: 600, Month: 18000, Alpha: 1. / 240}
	for name, p := range map[string]float64{
		"no pairs":          d.Power(.5, 0),
		"no repeat":         d.Power(.5, 79),
		"no task":           Design{Alpha: .05}.Power(.5, 100),
		"one task":          Design{Tasks: 1, Units: 1, Alpha: .05}.Power(.5, 100),
		"one cluster":       Design{Tasks: 9, Units: 1, Alpha: .05}.Power(.5, 100),
		"no level":          Design{Tasks: 40, Units: 40}.Power(.5, 100),
		"few and unchanged": Design{Tasks: 7, Units: 7, Alpha: 1. / 240, Fixed: true}.Power(1, 100),
	} {
		if p != 0 {
			t.Errorf("%s: power %g", name, p)
		}
	}
	if !math.IsInf(d.Detectable(40), 1) || d.Needed(0) != 0 {
		t.Error("something is shown by nothing")
	}
}

func TestPowerProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.IntRange(8, 200).Draw(t, "units")
		d := Design{
			Tasks: units, Units: units, Alpha: rapid.Float64Range(.001, .1).Draw(t, "alpha"), Fixed: rapid.Bool().Draw(t, "fixed"),
			Within: rapid.Float64Range(.01, .5).Draw(t, "within"), Between: rapid.Float64Range(.0001, .1).Draw(t, "between"),
		}
		gain, pairs := rapid.Float64Range(0, .5).Draw(t, "gain"), float64(units*rapid.IntRange(2, 50).Draw(t, "blocks"))
		p := d.Power(gain, pairs)
		if !(p >= 0 && p <= 1) || d.Power(gain+.05, pairs) < p-1e-6 {
			t.Fatalf("power %g, and %g of five points more", p, d.Power(gain+.05, pairs))
		}
		least := d.Detectable(pairs)
		if least <= 1 && (d.Power(least, pairs) < power || d.Power(least-.01, pairs) > power) {
			t.Fatalf("%g is not the smallest difference", least)
		}
		if more := d.Detectable(2 * pairs); more > least {
			t.Fatalf("twice the pairs show %g instead of %g", more, least)
		}
	})
}

func TestNeeded(t *testing.T) {
	d := Design{Tasks: 10, Units: 10, Tonight: 600, Month: 18000, Alpha: 1. / 240, Within: .3, Between: .01}
	n := d.Needed(Practical)
	d.Tasks, d.Units = n, n
	if p := d.Power(Practical, 18000); p < power {
		t.Errorf("%d tasks are not enough: power %g", n, p)
	}
	d.Tasks, d.Units = n-1, n-1
	if p := d.Power(Practical, 18000); p >= power {
		t.Errorf("%d tasks are one too many", n)
	}
}

func TestStatement(t *testing.T) {
	for _, c := range []struct {
		name   string
		design Design
		want   []string
	}{
		{"a good night", Design{Tasks: 40, Units: 40, Tonight: 650, Month: 19500}, []string{"tonight's run can show an improvement of ", "new tasks like these, and the month's runs can show one of", "40 independent holdout tasks, 650 pairs a night"}},
		{"only the month", Design{Tasks: 400, Units: 400, Tonight: 650, Month: 19500}, []string{"nothing can be shown tonight; within the month"}},
		{"few tasks", Design{Tasks: 3, Units: 3, Tonight: 10, Month: 300, Between: .01}, []string{"no improvement on new tasks like these can be shown with 3 independent holdout tasks", "only an improvement on these tasks themselves", "independent tasks would be needed for 5.0 points", "beyond about 50 repeats of each task, adding tasks would help more than adding repeats"}},
		{"fixed", Design{Tasks: 60, Units: 60, Tonight: 60, Month: 60, Fixed: true}, []string{"further nights add nothing"}},
		{"ten tasks of a fixed agent", Design{Tasks: 10, Units: 10, Tonight: 10, Month: 10, Fixed: true}, []string{"tonight's run can show an improvement of 6"}},
		{"no holdout", Design{}, []string{"no holdout tasks"}},
	} {
		c.design.Alpha = 1. / 240
		got := c.design.Statement()
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q lacks %q", c.name, got, want)
			}
		}
	}
}

// TestNeededWithoutSpread checks that a fixed agent with the same difference on every task
// needs exactly as many tasks as make its interval for new tasks exclude 0, and that
// decimal rounding does not count as spread.
func TestNeededWithoutSpread(t *testing.T) {
	alpha := Monthly().Alpha()
	shows := func(tasks int, gain float64) Ruling {
		var pairs []Pair
		for i := range tasks {
			a := .1 * float64(1+i%7)
			pairs = append(pairs, Pair{Task: fmt.Sprint("t", i), A: []float64{a}, B: []float64{a + gain}})
		}
		return Judge("v", pairs, Rule{Alpha: alpha, Fixed: true})
	}
	for gain, want := range map[float64]int{.219: 28, .1: 58, .05: 113, .9: 9} {
		r := shows(8, gain)
		if r.SE != 0 || math.Abs(r.Difference-gain) > 1e-12 {
			t.Fatalf("SE %g of equal differences", r.SE)
		}
		design := Design{Tasks: 8, Units: 8, Tonight: 8, Month: 8, Alpha: alpha, Fixed: true}.learned(&r)
		if got := design.Needed(r.Difference); got != want {
			t.Errorf("%.1f points need %d tasks, want %d", 100*gain, got, want)
		}
		enough, few := shows(want, gain), shows(want-1, gain)
		if enough.Claim != NewTasks || few.Claim == NewTasks {
			t.Errorf("%.1f points: %q with %d tasks, %q with one less", 100*gain, enough.Claim, want, few.Claim)
		}
		design.Tasks, design.Units = want, want
		if d := design.Detectable(float64(want)); d > gain || d < .8*gain {
			t.Errorf("%d tasks show %.4f", want, d)
		}
	}
	r := shows(12, .219)
	if said := Conclude([]Ruling{r}, Circumstances{Searched: true, Design: Design{Tasks: 12, Units: 12, Tonight: 12, Month: 12, Alpha: alpha, Fixed: true}}).Sentence; !strings.Contains(said, "about 28 independent tasks would be needed to show 21.9 points") ||
		!strings.Contains(said, "+21.9 points on these tasks; this is exact") {
		t.Error(said)
	}
}
