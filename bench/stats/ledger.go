package stats

import (
	"fmt"
	"math"
	"time"

	"evolve/runtime/text"
)

// Control is the error control of one agent across nights: at most Entries candidates enter
// the confirmation in any Days days, each at the level Alpha. In every such window the
// expected number of entries that are falsely shown to be better is then at most Level,
// regardless of the search and of when the evidence is looked at. It is the per-family
// error rate of Bonferroni over the entries of a window.
type Control struct {
	Level   float64 // expected false adoptions per window, in (0,1)
	Days    int     // length of the window
	Entries int     // maximum number of entries per window
}

// Monthly returns the default control: .05 false adoptions in any 30 days over 12
// entries.
func Monthly() Control { return Control{Level: .05, Days: 30, Entries: 12} }

// Alpha returns the level of one entry, α_c. If no entries are allowed, it is 0, at which
// nothing is ever shown.
func (c Control) Alpha() float64 {
	if c.Entries <= 0 {
		return 0
	}
	return c.Level / float64(c.Entries)
}

// Left returns the number of entries that may still be made at the time now, given the
// times of earlier entries. An entry counts until Days days have passed since it was
// made; an entry with a future time, from a fast clock, counts too.
func (c Control) Left(entered []time.Time, now time.Time) int {
	left := c.Entries
	for _, t := range entered {
		if now.Sub(t) < time.Duration(c.Days)*24*time.Hour {
			left--
		}
	}
	return max(0, left)
}

// A holdout counts as worn once these numbers of adoptions or entries are reached:
// adopted variants were selected by the tasks that judge them, so scores on these tasks
// are biased in favor of the champion.
const (
	wornAdoptions = 3
	wornEntries   = 36 // three full windows
)

// Worn returns a sentence that advises rotating a holdout with this many entries and
// adoptions, or "" while that is not needed. The exact claim about the tasks themselves is
// not affected by reuse; the claim about new tasks becomes weaker each time a variant is
// selected by these tasks.
func Worn(entries, adoptions int) string {
	if adoptions < wornAdoptions && entries < wornEntries {
		return ""
	}
	return fmt.Sprintf("these holdout tasks have been used to judge %s and led to %s: the claim about new tasks is weakening; replace them with fresh holdout tasks",
		text.Count(entries, "candidate"), text.Count(adoptions, "adoption"))
}

// BestRepeats returns the number of repeats per task at which a claim about new tasks costs
// least: √(c_task/c_run · σ²/τ²), the classical optimum of two-stage sampling (Cochran
// 1977, 10.6), but at least 1. costTask is the cost of one more task and costRun is the
// cost of one more pair on a task, in the same unit; within is σ², and between is τ².
// BestRepeats returns 1 if a cost is unknown, and +Inf if there is no variance between
// tasks, because then only the number of pairs matters.
func BestRepeats(costTask, costRun, within, between float64) float64 {
	switch {
	case !(costTask > 0) || !(costRun > 0) || !(within > 0):
		return 1
	case !(between > 0):
		return math.Inf(1)
	}
	return math.Max(1, math.Sqrt(costTask/costRun*within/between))
}
