package confirm

import (
	"testing"
	"time"

	"evolve/bench/stats"
)

// TestSmallGainsBeyondLuckAreConfirmed checks that on sixty cases a gain of five points
// is confirmed only if it is known to exceed what the luckiest of many variants would
// gain by chance.
func TestSmallGainsBeyondLuckAreConfirmed(t *testing.T) {
	for _, c := range []struct {
		luck float64
		want bool
	}{{.035, true}, {.055, false}, {0, false}} {
		w := &world{tasks: 60, score: better}
		a, err := Open(t.Context(), World{
			Store: w, Ledger: w, Runner: w, Now: func() time.Time { return time.Unix(0, 0) },
			Fits: func(int) bool { return true }, Stop: func() error { return nil },
		}, Setup{
			Run: "1", Champion: "champion", Score: .5, Tasks: 60, SearchTasks: 60, Fixed: true, Evaluations: 120, Most: 3,
			Control: stats.Monthly(), Finalists: []Finalist{{Variant: "variant", Gain: .05, SD: .009, Luck: c.luck}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := a.Wanted(t.Context()); err != nil || got != c.want {
			t.Errorf("luck %g: a block is wanted: %v, want %v (%v)", c.luck, got, c.want, err)
		}
	}
}
