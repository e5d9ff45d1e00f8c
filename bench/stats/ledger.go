package stats

import (
	"fmt"
	"math"
	"time"
)

// Control is the error control of one agent across nights: at most Entries
// candidates enter the confirmation in any Days days, each at the level Alpha. In every
// such window the expected number of entries that are falsely shown to be better is
// then at most Level, whatever the search proposed and whenever results are
// looked at: the per-family error rate of Bonferroni over the entries of a window.
type Control struct {
	Level   float64 // expected false adoptions a window, in (0,1)
	Days    int     // length of the window
	Entries int     // most entries in it
}

// Monthly is the control of spec 9.2: .05 false adoptions in any 30 days over 12 entries.
func Monthly() Control { return Control{Level: .05, Days: 30, Entries: 12} }

// Alpha is the level of one entry, α_c; 0, at which nothing is ever shown, without entries.
func (c Control) Alpha() float64 {
	if c.Entries <= 0 {
		return 0
	}
	return c.Level / float64(c.Entries)
}

// Left counts the entries that may still be made at now, given the times of those
// made before. An entry counts until Days days have passed since; one from a clock
// that ran ahead counts too.
func (c Control) Left(entered []time.Time, now time.Time) int {
	left := c.Entries
	for _, t := range entered {
		if now.Sub(t) < time.Duration(c.Days)*24*time.Hour {
			left--
		}
	}
	return max(0, left)
}

// A holdout on which so much was decided is worn: what was adopted was chosen by
// the very tasks that judge it, so that scores on them flatter the champion.
const (
	wornAdoptions = 3
	wornEntries   = 36 // three windows with every entry used
)

// Worn says whether a holdout that has seen so many entries and adoptions ought to be
// rotated, in one sentence; empty while it need not be. The exact claim about the tasks
// themselves survives any use; the claim about new tasks weakens with every
// choice that they made.
func Worn(entries, adoptions int) string {
	if adoptions < wornAdoptions && entries < wornEntries {
		return ""
	}
	return fmt.Sprintf("these holdout tasks have judged %s and made %s: the claim about new tasks wears thin, swap in fresh holdout tasks",
		plural(entries, "candidate"), plural(adoptions, "adoption"))
}

// BestRepeats is the number of repeats a task at which a claim about new tasks costs
// least: √(c_task/c_run · σ²/τ²), the classical optimum of two-stage sampling
// (Cochran 1977, 10.6), at least 1. costTask is what one more task costs and costRun
// one more pair on it, in the same unit; within is σ², between τ². It is +Inf without variance
// between tasks, where only the number of pairs matters, and 1 where a cost is not known.
func BestRepeats(costTask, costRun, within, between float64) float64 {
	switch {
	case !(costTask > 0) || !(costRun > 0) || !(within > 0):
		return 1
	case !(between > 0):
		return math.Inf(1)
	}
	return math.Max(1, math.Sqrt(costTask/costRun*within/between))
}
