package confirm

import (
	"fmt"
	"slices"
	"time"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Entry is one candidate's entry into the confirmation. Agent, Number, Variant, Champion,
// Run, Time, Ledger, Holds and Alpha never change. It is stored as JSON: names never change.
type Entry struct {
	Agent string `json:"agent"`
	// Number counts an agent's entries from 1 in the order in which they were made; the
	// store sets it.
	Number   int            `json:"number"`
	Variant  agent.ConfigID `json:"variant"`
	Champion agent.ConfigID `json:"champion"`
	// Run and Time are those in which the entry was made.
	Run  string    `json:"run"`
	Time time.Time `json:"time,omitzero"`
	// Ledger is the number of the store's ledger entry that records it.
	Ledger int64 `json:"ledger"`
	// Holds is a hash of everything the evidence depends on besides the two configs:
	// holdout tasks and graders, the agent's folder, identity and prices. Evidence with
	// another hash, or against another champion, is void.
	Holds string `json:"holds"`
	// Spends identifies the data that the entry spends, which entries under another name may
	// spend, too. It is empty for an agent, whose name identifies its data, and in records of an
	// older evolve.
	Spends string `json:"spends,omitempty"`
	// Alpha is the level of the entry, Projected its projected number of pairs; 0: no
	// cap.
	Alpha     float64 `json:"alpha"`
	Projected float64 `json:"projected"`
	// Gain is the gain over the champion in the search's last estimate, and SD its
	// standard deviation, both in score units.
	Gain float64 `json:"gain"`
	SD   float64 `json:"sd"`
	// Runs lists the runs that added blocks, in order.
	Runs  []string    `json:"runs"`
	State stats.State `json:"state"`
	// Void names the change of champion, suite or agent that ended it; empty while it is
	// valid.
	Void string `json:"void,omitempty"`
	// Blocks is the number of complete blocks, LogE the log evidence and Reason the
	// ruling's reason, all as of the last judgement.
	Blocks int     `json:"blocks"`
	LogE   float64 `json:"log_e"`
	Reason string  `json:"reason"`
	// Proof is the look that showed it to be better on new tasks; nil: none.
	Proof *stats.Proof `json:"proof,omitempty"`
}

// void returns the reason why an entry's evidence is no longer valid; "" when it is, and
// for an entry that has ended or is void already.
func (s *Setup) void(e *Entry) string {
	switch {
	case e.Void != "" || e.State.Ended():
		return ""
	case e.Holds == s.Holds && slices.Contains(s.Resting, e.Champion):
		return ""
	case e.Champion != s.Champion:
		now := "the champion is " + s.Champion.Short()
		if s.Reference != nil {
			now = "candidates are now compared with " + s.Reference.Words()
		}
		return fmt.Sprintf("it was measured against %s, and %s: evidence against another champion does not count", e.Champion.Short(), now)
	case e.Holds != s.Holds:
		return "the holdout tasks, the agent, its models or services, or the prices changed: its evidence no longer applies"
	}
	return ""
}

// current reports whether an entry is valid for this champion and these tasks.
func (s *Setup) current(e *Entry) bool {
	return e.Void == "" && e.Champion == s.Champion && e.Holds == s.Holds
}

// Entered returns the times of entries, for the error control.
func Entered(entries []Entry) []time.Time {
	out := make([]time.Time, len(entries))
	for i, e := range entries {
		out[i] = e.Time
	}
	return out
}

// NoEntry returns a sentence that the window of the error control is full, with the time
// until which it is.
func NoEntry(c stats.Control, entries []Entry) string {
	times := Entered(entries)
	slices.SortFunc(times, time.Time.Compare)
	free := times[max(0, len(times)-c.Entries)].Add(time.Duration(c.Days) * 24 * time.Hour)
	return fmt.Sprintf("all %d confirmations that %d days allow are used; the next is free on %s",
		c.Entries, c.Days, free.UTC().Format("2 January 2006"))
}
