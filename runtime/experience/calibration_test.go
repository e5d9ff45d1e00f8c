package experience

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func stated(domain string, pairs ...float64) []Stated {
	var out []Stated
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, Stated{Domain: domain, Confidence: pairs[i], Success: pairs[i+1] == 1})
	}
	return out
}

// TestCalibration compares calibrations with numbers that were calculated by hand.
func TestCalibration(t *testing.T) {
	for name, c := range map[string]struct {
		list []Stated
		want Calibration
	}{
		"no turn":         {nil, Calibration{}},
		"sure and right":  {stated("a", 1, 1), Calibration{Turns: 1, Confidence: 1, Success: 1, Curve: []CalibrationBin{{.9, 1, 1, 1, 1}}}},
		"sure and wrong":  {stated("a", 1, 0), Calibration{Turns: 1, Confidence: 1, Brier: 1, ECE: 1, Curve: []CalibrationBin{{.9, 1, 1, 1, 0}}}},
		"a half, as said": {stated("a", .5, 1, .5, 0), Calibration{Turns: 2, Confidence: .5, Success: .5, Brier: .25, Curve: []CalibrationBin{{.4, .5, 2, .5, .5}}}},
		// The Brier score is (.1² + .1² + .9² + .4² + .7²)/5 = (.01+.01+.81+.16+.49)/5 =
		// .296. The bins are (.8,.9] with mean .9 and success 2/3, (.5,.6] with .6 and 1,
		// and (.2,.3] with .3 and 1. The ECE is 3/5·|2/3−.9| + 1/5·.4 + 1/5·.7 = .14 + .08
		// + .14 = .36.
		"five": {
			stated("a", .9, 1, .9, 1, .9, 0, .6, 1, .3, 1),
			Calibration{Turns: 5, Confidence: .72, Success: .8, Brier: .296, ECE: .36, Curve: []CalibrationBin{
				{.2, .3, 1, .3, 1}, {.5, .6, 1, .6, 1}, {.8, .9, 3, .9, 2. / 3},
			}},
		},
		// Errors in both directions within one bin cancel: (.82+.88)/2 = .85 and 1/2.
		"one bin": {
			stated("a", .82, 1, .88, 0),
			Calibration{Turns: 2, Confidence: .85, Success: .5, Brier: (.18*.18 + .88*.88) / 2, ECE: .35, Curve: []CalibrationBin{{.8, .9, 2, .85, .5}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := (&Experience{Stated: c.list}).CalibrationIn("a")
			if diff := cmp.Diff(c.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBinsEndWithTheirBound(t *testing.T) {
	for i := range 10 {
		bound := float64(i+1) / 10
		if got := binOf(bound); got != i {
			t.Errorf("%g is in bin %d, not %d", bound, got, i)
		}
		if got := binOf(math.Nextafter(bound, 2)); got != min(i+1, 9) {
			t.Errorf("the number after %g is in bin %d", bound, got)
		}
	}
	if binOf(math.SmallestNonzeroFloat64) != 0 {
		t.Error("the smallest confidence is in no first bin")
	}
}

func TestCalibrationByDomain(t *testing.T) {
	e := &Experience{Stated: append(stated("a", .9, 1, .9, 0), stated("b", .4, 0)...)}
	for domain, want := range map[string]int{"a": 2, "b": 1, "c": 0, "": 3, Global: 3} {
		if got := e.CalibrationIn(domain).Turns; got != want {
			t.Errorf("%q has %d turns, not %d", domain, got, want)
		}
	}
}

func TestCalibrationText(t *testing.T) {
	e := &Experience{}
	if text, ok := e.CalibrationText("a"); ok || text != "" {
		t.Errorf("%q without history", text)
	}
	e.Stated = append(stated("a", .9, 1, .9, 0), stated("b", .4, 0)...)
	got, ok := e.CalibrationText("a")
	want := `In a: the last 2 turns with a stated confidence had a mean confidence of 0.90 and a success rate of 0.50 (1 succeeded), so the confidence was too high by 0.40. Brier score 0.410 (0 is perfect; a constant confidence of .5 scores .25), expected calibration error 0.400 in ten bins.
  confidence above 0.8, up to 0.9: 2 turns, mean confidence 0.90, success rate 0.50
Over all domains: the last 3 turns with a stated confidence had a mean confidence of 0.73 and a success rate of 0.33 (1 succeeded), so the confidence was too high by 0.40. Brier score 0.327 (0 is perfect; a constant confidence of .5 scores .25), expected calibration error 0.400 in ten bins.
  confidence above 0.3, up to 0.4: 1 turn, mean confidence 0.40, success rate 0.00
  confidence above 0.8, up to 0.9: 2 turns, mean confidence 0.90, success rate 0.50
`
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Error(diff)
	}
	if got, _ := e.CalibrationText("c"); !strings.HasPrefix(got, "In c no turn stated a confidence.\nOver all domains: ") {
		t.Error(got)
	}
}
