package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestShrink(t *testing.T) {
	near(t, "without chance", Shrink(.1, 0, 5), .1, 0)
	near(t, "as much chance as prior", Shrink(.1, .0064*50, 50), .05, 1e-15)
	if d := Shrink(.1, .2, 0); d != 0 {
		t.Errorf("no pairs give %g", d)
	}
	rapid.Check(t, func(t *rapid.T) {
		d, v, n := rapid.Float64Range(-1, 1).Draw(t, "d"), rapid.Float64Range(0, 1).Draw(t, "variance"), rapid.IntRange(1, 10000).Draw(t, "n")
		s := Shrink(d, v, n)
		if math.Abs(s) > math.Abs(d) || s*d < 0 || math.Abs(Shrink(d, v, 2*n)) < math.Abs(s) {
			t.Fatalf("%g of %d pairs is shrunk to %g", d, n, s)
		}
	})
}
