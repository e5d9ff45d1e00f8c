package limits

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestPlan(t *testing.T) {
	inf := math.Inf(1)
	pace := Pace{Seconds: .5, Alone: .25, USD: .01, Weight: 10}
	for _, c := range []struct {
		name  string
		left  Left
		pace  Pace
		alone float64
		want  Forecast
	}{
		{"evaluations", Left{100, inf, inf, inf, Most}, pace, 0, Forecast{100, Evaluations}},
		{"money", Left{100, .5, inf, inf, Most}, pace, 0, Forecast{50, Money}},
		{"time", Left{100, inf, 10, 20, Most}, pace, 0, Forecast{20, Time}},
		{"deadline", Left{100, inf, 20, 10, Most}, pace, 0, Forecast{20, Deadline}},
		{"part of it without thinking", Left{inf, inf, 12, inf, Most}, pace, .5, Forecast{32, Time}},
		{"money alone, and it costs nothing", Left{inf, 5, inf, inf, Most}, Pace{Seconds: 1, Alone: 1, Weight: 1}, 0, Forecast{Most, Enough}},
		{"more than the search has a use for", Left{inf, inf, 1e9, inf, 500}, pace, 0, Forecast{500, Enough}},
		{"a number that was asked for is no more than that", Left{100_000, inf, 1e9, inf, 500}, pace, 0, Forecast{100_000, Evaluations}},
		{"blind", Left{inf, 5, inf, inf, Most}, Pace{}, 0, Forecast{Probe, Unknown}},
		{"blind, with a number", Left{5000, inf, 5, inf, Most}, Pace{}, 0, Forecast{5000, Unknown}},
		{"blind and late", Left{5000, inf, inf, -1, Most}, Pace{}, 0, Forecast{0, Deadline}},
		{"spent", Left{inf, -.01, inf, inf, Most}, pace, 0, Forecast{0, Money}},
		{"evaluations need no pace", Left{7, inf, inf, inf, Most}, Pace{}, 0, Forecast{7, Evaluations}},
	} {
		if got := Plan(c.left, c.pace, c.alone); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestMoreLeftIsNeverFewer checks that raising a limit never reduces the number of planned
// evaluations.
func TestMoreLeftIsNeverFewer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := func(name string) float64 {
			if rapid.Bool().Draw(t, name+" open") {
				return math.Inf(1)
			}
			return rapid.Float64Range(0, 1e4).Draw(t, name)
		}
		left := Left{Evaluations: math.Floor(amount("evaluations")), USD: amount("usd"), Seconds: amount("time"), Deadline: amount("deadline"), Most: Most}
		pace := Pace{
			Seconds: rapid.Float64Range(0, 5).Draw(t, "seconds"), USD: rapid.Float64Range(0, 2).Draw(t, "price"),
			Weight: float64(rapid.IntRange(0, 3).Draw(t, "weight")),
		}
		pace.Alone = pace.Seconds * rapid.Float64Range(0, 1).Draw(t, "alone")
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		before := Plan(left, pace, share)
		more := left
		switch rapid.IntRange(0, 3).Draw(t, "raised") {
		case 0:
			more.Evaluations *= 2
		case 1:
			more.USD *= 2
		case 2:
			more.Seconds *= 2
		case 3:
			more.Deadline *= 2
		}
		if after := Plan(more, pace, share); after.Evaluations < before.Evaluations {
			t.Fatalf("%+v plans %+v, %+v only %+v", left, before, more, after)
		}
	})
}

// TestMeterFollowsAChange checks that, when an agent becomes ten times slower, the meter
// reflects the new pace after as many evaluations as were made before the change.
func TestMeterFollowsAChange(t *testing.T) {
	m := NewMeter(Pace{Seconds: .001, Alone: .001, USD: 1, Weight: 1e6}, 4)
	for range 50 {
		m.Add(4, 4*time.Second, .04)
		m.Elapse(4, time.Second)
	}
	if p := m.Pace(); math.Abs(p.Seconds-.25) > .01 || math.Abs(p.Alone-.25) > .01 || math.Abs(p.USD-.01) > .01 {
		t.Errorf("an earlier night counts for too much: %+v", p)
	}
	for range 50 {
		m.Add(4, 40*time.Second, .4)
		m.Elapse(4, 10*time.Second)
	}
	if p := m.Pace(); p.Seconds < 1.3 || p.Seconds > 2.5 || m.Made() != 400 {
		t.Errorf("%+v after %d", p, m.Made())
	}
}
