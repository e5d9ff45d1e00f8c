package stats

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func night(n int) time.Time {
	return time.Date(2026, 1, 1, 2, 0, 0, 0, time.UTC).Add(time.Duration(n) * 24 * time.Hour)
}

// TestLedgerByHand checks that twelve entries at 1/240 in eleven nights use up what the
// window allows until night 31, when the entries of night 1 expire.
func TestLedgerByHand(t *testing.T) {
	c := Monthly()
	near(t, "level of an entry", c.Alpha(), 1./240, 1e-15)
	var entered []time.Time
	for _, n := range []int{1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11} {
		if c.Left(entered, night(n)) == 0 {
			t.Errorf("night %d has no entry left after %d", n, len(entered))
		}
		entered = append(entered, night(n))
	}
	for n, want := range map[int]int{11: 0, 12: 0, 30: 0, 31: 2, 32: 3, 41: 12} {
		if got := c.Left(entered, night(n)); got != want {
			t.Errorf("night %d: %d entries left, want %d", n, got, want)
		}
	}
	if (Control{Level: .05, Days: 30}).Alpha() != 0 || (Control{Level: .05, Days: 30}).Left(nil, night(1)) != 0 {
		t.Error("no entries, and yet one may enter")
	}
	if c.Left([]time.Time{night(9)}, night(1)) != 11 {
		t.Error("an entry from a clock that ran ahead does not count")
	}
}

// TestLedgerHoldsInEveryWindow checks that the limit is not exceeded in any window if
// entries are made only while the limit allows more.
func TestLedgerHoldsInEveryWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Control{Level: .05, Days: rapid.IntRange(1, 40).Draw(t, "days"), Entries: rapid.IntRange(1, 15).Draw(t, "entries")}
		var entered []time.Time
		now := night(0)
		for range rapid.IntRange(1, 120).Draw(t, "attempts") {
			now = now.Add(time.Duration(rapid.IntRange(0, 72).Draw(t, "hours")) * time.Hour)
			if c.Left(entered, now) > 0 {
				entered = append(entered, now)
			}
		}
		for _, start := range entered {
			in := 0
			for _, e := range entered {
				if since := e.Sub(start); since >= 0 && since < time.Duration(c.Days)*24*time.Hour {
					in++
				}
			}
			if in > c.Entries {
				t.Fatalf("%d entries in a window of %d", in, c.Entries)
			}
		}
	})
}

func TestWorn(t *testing.T) {
	for _, c := range []struct {
		entries, adoptions int
		want               string
	}{
		{0, 0, ""},
		{35, 2, ""},
		{5, 3, "to judge 5 candidates and led to 3 adoptions"},
		{36, 1, "to judge 36 candidates and led to 1 adoption:"},
	} {
		if got := Worn(c.entries, c.adoptions); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%d entries and %d adoptions: %q", c.entries, c.adoptions, got)
		}
	}
}

func TestBestRepeats(t *testing.T) {
	near(t, "by hand", BestRepeats(9, 1, .25, .01), 15, 1e-12)
	near(t, "at least one", BestRepeats(1, 100, .01, .25), 1, 0)
	near(t, "cost unknown", BestRepeats(0, 1, .25, .01), 1, 0)
	if !math.IsInf(BestRepeats(1, 1, .25, 0), 1) {
		t.Error("without variance between tasks repeats are bounded")
	}
	// Given the cost of a task, no other number of repeats gives a smaller variance for the
	// same money.
	rapid.Check(t, func(t *rapid.T) {
		task, run := rapid.Float64Range(.1, 50).Draw(t, "task"), rapid.Float64Range(.1, 50).Draw(t, "run")
		within, between := rapid.Float64Range(.01, 1).Draw(t, "within"), rapid.Float64Range(.001, 1).Draw(t, "between")
		price := func(r float64) float64 { return (task + r*run) * (between + within/r) }
		best := BestRepeats(task, run, within, between)
		if other := math.Max(1, best*rapid.Float64Range(.2, 5).Draw(t, "factor")); price(other) < price(best)*(1-1e-9) {
			t.Fatalf("%g repeats cost %g, %g cost %g", best, price(best), other, price(other))
		}
	})
}
