package batch

import (
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
)

// TestUnfitJudge checks that the description of a judge whose kappa is too low or undefined
// states that the judge is not good enough.
func TestUnfitJudge(t *testing.T) {
	r := &routeJudges{definitions: []string{"d"}}
	for _, c := range []struct {
		kappa *stats.Measure
		unfit bool
	}{{nil, true}, {&stats.Measure{Value: .1}, true}, {&stats.Measure{Value: .8}, false}} {
		known := []archive.Calibration{{Time: time.Unix(0, 0), Judges: []string{"d"}, Agreement: stats.Agreement{Labels: 30, Kappa: c.kappa}}}
		if text := calibrated(r, &bench.Suite{}, known); strings.HasSuffix(text, Unfit) != c.unfit {
			t.Errorf("%+v: %s", c.kappa, text)
		}
	}
}
