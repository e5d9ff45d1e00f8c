package experience

import (
	"math"
	"testing"

	"evolve/runtime/agent"
)

func TestUsefulness(t *testing.T) {
	for _, c := range []struct {
		calls, ok, corrected int
		want                 float64
	}{
		{0, 0, 0, .5},
		{1, 1, 0, .85*.1 + .5*.9},
		{5, 0, 0, .15*.5 + .5*.5},
		{10, 10, 0, .85},
		{10, 0, 0, .15},
		{40, 20, 0, .5},
		{10, 10, 5, .5},
		{10, 2, 5, .15},
	} {
		got := Capsule{Calls: c.calls, Corrected: c.corrected, Outcomes: map[agent.Outcome]int{agent.OK: c.ok}}.usefulness(noHistory)
		if math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d of %d calls ok, %d corrected: %g, not %g", c.ok, c.calls, c.corrected, got, c.want)
		}
	}
	if Avoidance(.29) != .3 || Avoidance(.3) != 1 {
		t.Error("avoidance begins below .3")
	}
}
