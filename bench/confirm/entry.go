package confirm

import (
	"fmt"
	"slices"
	"time"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Entry is one candidate's entry into the confirmation. Agent, Number, Variant, Champion,
// Run, Time, Ledger, Holds and Alpha never change. It is stored as JSON, so the names of
// its fields never change.
type Entry struct {
	Agent string `json:"agent"`
	// Number counts an agent's entries from 1 in the order in which they were made; the
	// store sets it.
	Number   int            `json:"number"`
	Variant  agent.ConfigID `json:"variant"`
	Champion agent.ConfigID `json:"champion"`
	// Run is the run in which the entry was made, and Time is the time at which it was
	// made.
	Run  string    `json:"run"`
	Time time.Time `json:"time,omitzero"`
	// Ledger is the number of the entry in the store's ledger that records this entry
	// into the confirmation.
	Ledger int64 `json:"ledger"`
	// Holds is a hash of everything, besides the two configs, on which the evidence
	// depends: holdout tasks and graders, the agent's folder, identity and prices. Evidence
	// with another hash, or against another champion, is void.
	Holds string `json:"holds"`
	// Spends identifies the data that the entry spends, because entries under another name
	// may spend the same data. It is empty if the entry is for an agent, whose name
	// identifies its data, and in records from an older version of evolve.
	Spends string `json:"spends,omitempty"`
	// Alpha is the significance level of the entry. Projected is the number of pairs that
	// the entry is projected to need; 0 means that there is no cap.
	Alpha     float64 `json:"alpha"`
	Projected float64 `json:"projected"`
	// Gain is the gain over the champion in the search's last estimate, and SD its
	// standard deviation, both in score units.
	Gain float64 `json:"gain"`
	SD   float64 `json:"sd"`
	// Runs lists the runs that added blocks, in order.
	Runs  []string    `json:"runs"`
	State stats.State `json:"state"`
	// Void names the change of champion, suite or agent that ended the entry; it is empty
	// while the entry is valid.
	Void string `json:"void,omitempty"`
	// Blocks is the number of complete blocks, LogE is the log evidence, and Reason is the
	// ruling's reason, all as of the last judgement.
	Blocks int     `json:"blocks"`
	LogE   float64 `json:"log_e"`
	Reason string  `json:"reason"`
	// Proof is the look at the evidence that showed the variant to be better on new tasks;
	// it is nil if there was none.
	Proof *stats.Proof `json:"proof,omitempty"`
}

// void returns the reason why an entry's evidence is no longer valid. It returns "" if the
// evidence is valid, or if the entry has ended or is void already.
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
		return fmt.Sprintf("it was measured against %s, but %s: measurements against a different champion do not count", e.Champion.Short(), now)
	case e.Holds != s.Holds:
		return "the holdout tasks, the agent, its models or services, or the prices have changed, so the candidate's evidence no longer applies"
	}
	return ""
}

// current reports whether an entry is not void and was made for the champion and the tasks
// of s.
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

// NoEntry returns a sentence which states that the window of the error control is full, and
// until when it remains full.
func NoEntry(c stats.Control, entries []Entry) string {
	times := Entered(entries)
	slices.SortFunc(times, time.Time.Compare)
	free := times[max(0, len(times)-c.Entries)].Add(time.Duration(c.Days) * 24 * time.Hour)
	return fmt.Sprintf("all %d confirmations allowed in %d days are used; the next is available on %s",
		c.Entries, c.Days, free.UTC().Format("2 January 2006"))
}
