package stats

import "testing"

// TestReferenceSum checks that a sum of steps stays within the scale.
func TestReferenceSum(t *testing.T) {
	t.Parallel()
	own := Ruling{Comparison: Comparison{Difference: .7}, New: Interval{Lo: .3, Hi: .95}}
	own.Reference = &Reference{Steps: 1, Difference: .5, Interval: Interval{Lo: .1, Hi: .9}}
	var r Reference
	if r.Add(&own); r.Steps != 2 || r.Difference != 1 || r.Lo != .4 || r.Hi != 1 {
		t.Errorf("%+v", r)
	}
}
