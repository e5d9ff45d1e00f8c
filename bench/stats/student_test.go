package stats

import (
	"math"
	"testing"
)

func TestMcNemar(t *testing.T) {
	near(t, "30 against 14", McNemar(30, 14), .0113144206, 5e-11)
	near(t, "three of three", McNemar(3, 0), 1./8, 1e-15)
	if p := McNemar(0, 5); p != 1 {
		t.Errorf("no win: %g", p)
	}
	if p := McNemar(12000, 1000); !(p >= 0 && p < 1e-300) {
		t.Errorf("12,000 against 1,000: %g", p)
	}
}

func TestStudent(t *testing.T) {
	// From printed tables: t(.975, 9) = 2.262157163, t(.95, 39) = 1.684875122.
	near(t, "t .975 9", tQuantile(.975, 9), 2.262157163, 1e-8)
	near(t, "t .95 39", tQuantile(.95, 39), 1.684875122, 1e-8)
	near(t, "tail", tSurvival(2.262157163, 9), .025, 1e-9)
	near(t, "lower tail", tSurvival(-2.262157163, 9), .975, 1e-9)
	// With one degree of freedom it is Cauchy's distribution: 1/2 − atan(t)/π.
	near(t, "far tail", tSurvival(1e8, 1)*1e9*math.Pi, 10, 1e-6)
}

func TestWilson(t *testing.T) {
	// 81 of 263 is the worked example in Newcombe 1998, with the interval .2553 to .3662.
	lo, hi := Wilson(81./263, 263, .95)
	near(t, "lower", lo, .2553, 5e-5)
	near(t, "upper", hi, .3662, 5e-5)
	if lo, hi := Wilson(0, 10, .95); lo != 0 || hi < .2 || hi > .35 {
		t.Errorf("nothing of ten: %g %g", lo, hi)
	}
	for _, n := range []float64{0, -1, math.NaN()} {
		if lo, hi := Wilson(.5, n, .95); lo != 0 || hi != 1 {
			t.Errorf("n %g: %g %g", n, lo, hi)
		}
	}
}
