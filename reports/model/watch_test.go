package model

import (
	"strings"
	"testing"
	"time"
)

// TestAsPredicted checks that an adoption whose gain is below the prediction is not
// reported to be as predicted, even while chance may explain the shortfall.
func TestAsPredicted(t *testing.T) {
	for _, c := range []struct {
		difference float64
		want       string
	}{
		{.5, "P2 as predicted: +50.0 points of +53.8, after 1 night"},
		{-.575, "P2: −57.5 points of +53.8, after 1 night; chance may explain that, [−100.0, +73.4]"},
	} {
		w := Watch{Adopted: &AdoptedWatch{
			Moved: Moved{Difference: c.difference, Lo: -1, Hi: .734, AfterNights: 1}, Proposal: "P2", Predicted: &Predicted{Difference: .538, Lo: .3, Hi: .7},
		}}
		if got := w.Row(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestRestored checks the alarm about an adoption in a night that proposes what the
// adoption replaced. The alarm states that the proposal undoes the adoption, and does not
// attribute the adoption's result to chance.
func TestRestored(t *testing.T) {
	w := Watch{Adopted: &AdoptedWatch{
		Moved: Moved{Difference: -.25, Lo: -.6, Hi: .1, AfterNights: 1}, Proposal: "P1", Predicted: &Predicted{Difference: .6, Lo: .3, Hi: .7}, RestoredBy: "P2",
	}}
	alarms := w.Alarms()
	want := "P1 disappoints: −25.0 points [−60.0, +10.0] since its adoption, predicted +60.0 [+30.0, +70.0]; this night confirmed that the config that it replaced is better; P2 restores that config"
	if len(alarms) != 1 || alarms[0].Text != want || alarms[0].Command != "evolve show P2" || w.Row() != "" {
		t.Errorf("%+v, row %q", alarms, w.Row())
	}
}

// TestCrossedStays checks that an adoption stays reported as disappointing once the
// evidence has reached the level, even if tonight's evidence by itself would not suffice.
// The report must name the night that showed it, and the rollback.
func TestCrossedStays(t *testing.T) {
	w := Watch{Adopted: &AdoptedWatch{
		Moved: Moved{Difference: -.04, Lo: -.11, Hi: .03, AfterNights: 9}, Proposal: "P1", Command: "evolve rollback P1",
		Crossed: &Crossed{Night: time.Date(2026, 11, 14, 22, 0, 0, 0, time.UTC), Difference: -.09, Lo: -.17, Hi: -.01, Worse: true},
	}}
	alarms := w.Alarms()
	want := "P1 disappoints: −4.0 points [−11.0, +3.0] since its adoption; chance alone may explain that, but on the same tasks it scored below the config that it replaced in the night of 14 Nov, with −9.0 points [−17.0, −1.0], and no later night has refuted this finding"
	if len(alarms) != 1 || alarms[0].Text != want || alarms[0].Command != "evolve rollback P1" || w.Row() != "" || !w.Adopted.rollback() {
		t.Errorf("%+v, row %q", alarms, w.Row())
	}
	w.Adopted.Crossed.Worse, w.Adopted.Crossed.Below, w.Adopted.Crossed.Upper, w.Adopted.Lo = false, true, .02, .001
	if got := w.Alarms()[0].Text; !strings.Contains(got, "but its gain on tasks like these was at most +2.0 in the night of") || w.Adopted.rollback() {
		t.Error(got)
	}
}
