package model

import "testing"

// TestAsPredicted: an adoption whose gain is below the prediction is not told to be as
// predicted, even while chance may explain it.
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
