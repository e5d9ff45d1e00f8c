package stats

import (
	"fmt"
	"math"
	"time"

	"evolve/runtime/text"
)

// Control is the error control of one agent across nights: at most Entries candidates
// enter the confirmation in any Days days, each at the level Alpha. In every such window
// the expected number of entries that are falsely shown to be better is then at most
// Level, independent of the search and of the times of looking: the per-family error rate
// of Bonferroni over the entries of a window.
type Control struct {
	Level   float64 // expected false adoptions per window, in (0,1)
	Days    int     // length of the window
	Entries int     // maximum number of entries in it
}

// Monthly returns the default control: .05 false adoptions in any 30 days over 12
// entries.
func Monthly() Control { return Control{Level: .05, Days: 30, Entries: 12} }

// Alpha returns the level of one entry, α_c; 0, at which nothing is ever shown, without
// entries.
func (c Control) Alpha() float64 {
	if c.Entries <= 0 {
		return 0
	}
	return c.Level / float64(c.Entries)
}

// Left returns the number of entries that may still be made at now, given the times of
// earlier ones. An entry counts until Days days have passed since; one with a future
// time, from a fast clock, counts too.
func (c Control) Left(entered []time.Time, now time.Time) int {
	left := c.Entries
	for _, t := range entered {
		if now.Sub(t) < time.Duration(c.Days)*24*time.Hour {
			left--
		}
	}
	return max(0, left)
}

// The limits above which a holdout is worn: adopted variants were selected by the tasks
// that judge them, so that scores on them are biased in favor of the champion.
const (
	wornAdoptions = 3
	wornEntries   = 36 // three full windows
)

// Worn returns a sentence that advises to rotate a holdout with so many entries and
// adoptions, or "" while that is not needed. The exact claim about the tasks themselves
// is not affected by reuse; the claim about new tasks weakens with every selection by
// them.
func Worn(entries, adoptions int) string {
	if adoptions < wornAdoptions && entries < wornEntries {
		return ""
	}
	return fmt.Sprintf("these holdout tasks have judged %s and made %s: the claim about new tasks wears thin, swap in fresh holdout tasks",
		text.Count(entries, "candidate"), text.Count(adoptions, "adoption"))
}

// BestRepeats returns the number of repeats per task at which a claim about new tasks
// costs least: √(c_task/c_run · σ²/τ²), the classical optimum of two-stage sampling
// (Cochran 1977, 10.6), at least 1. costTask is the cost of one more task and costRun
// that of one more pair on it, in the same unit; within is σ², between τ². It returns
// +Inf without variance between tasks, where only the number of pairs matters, and 1
// where a cost is unknown.
func BestRepeats(costTask, costRun, within, between float64) float64 {
	switch {
	case !(costTask > 0) || !(costRun > 0) || !(within > 0):
		return 1
	case !(between > 0):
		return math.Inf(1)
	}
	return math.Max(1, math.Sqrt(costTask/costRun*within/between))
}
