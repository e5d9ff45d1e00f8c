package confirm

import (
	"fmt"
	"slices"
	"time"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Entry is one candidate's place in the confirmation. What it was entered as (Number,
// Variant, Champion, Run, Time, Holds, Alpha) never changes.
type Entry struct {
	// Number counts an agent's entries in the order in which they were made; the store sets it.
	Number   int
	Variant  agent.ConfigID
	Champion agent.ConfigID
	// Run and Time are those of the entry.
	Run  string
	Time time.Time
	// Holds is a hash of everything the evidence is about besides the two configs.
	Holds string
	// Alpha is the level of the entry, Projected the pairs it was projected to need; 0: no cap.
	Alpha, Projected float64
	// Gain is its gain over the champion as the search last estimated it, SD the standard
	// deviation of that; score units.
	Gain, SD float64
	// Runs are those that added blocks, in order.
	Runs  []string
	State stats.State
	// Void says why its evidence says nothing any more; empty while it does.
	Void string
	// Blocks counts the complete blocks, LogE is the log of the evidence and Reason the
	// ruling's, all as of the last judgement.
	Blocks int
	LogE   float64
	Reason string
	// Proof is the look that showed it to be better on new tasks; nil: none did.
	Proof *stats.Proof
	// Ledger is the store's own: the number of its note of the entry.
	Ledger int64
}

// void says why an entry's evidence is about something else now; empty when it is not, and
// when the entry is at its end already.
func (s *Setup) void(e *Entry) string {
	switch {
	case e.Void != "" || e.State.Ended():
		return ""
	case e.Holds == s.Holds && slices.Contains(s.Resting, e.Champion):
		return ""
	case e.Champion != s.Champion:
		now := "the champion is " + s.Champion.Short()
		if s.Reference != nil {
			now = "candidates now meet " + s.Reference.Words()
		}
		return fmt.Sprintf("it was measured against %s, and %s: evidence against another champion says nothing", e.Champion.Short(), now)
	case e.Holds != s.Holds:
		return "the holdout tasks, the agent, what stands behind it or the prices changed: its evidence is about something else"
	}
	return ""
}

// current reports whether an entry is against this champion and about these tasks.
func (s *Setup) current(e *Entry) bool {
	return e.Void == "" && e.Champion == s.Champion && e.Holds == s.Holds
}

// Entered are the times of entries, which the error control counts.
func Entered(entries []Entry) []time.Time {
	out := make([]time.Time, len(entries))
	for i, e := range entries {
		out[i] = e.Time
	}
	return out
}

// NoEntry says in words that the window of the error control is full, and until when.
func NoEntry(c stats.Control, entries []Entry) string {
	times := Entered(entries)
	slices.SortFunc(times, time.Time.Compare)
	free := times[max(0, len(times)-c.Entries)].Add(time.Duration(c.Days) * 24 * time.Hour)
	return fmt.Sprintf("all %d entries into the confirmation of the last %d days are used; the next is free on %s",
		c.Entries, c.Days, free.UTC().Format("2 January 2006"))
}
