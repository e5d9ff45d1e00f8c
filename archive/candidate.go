package archive

import (
	"time"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Finalist is a variant that was tried in the confirmation on the holdout.
type Finalist struct {
	Variant    agent.ConfigID   `json:"variant"`
	Comparison stats.Comparison `json:"comparison"`
	// SearchDifference is its estimated gain over the champion on the search tasks.
	SearchDifference float64 `json:"search_difference"`
	// Adjusted is the p-value after Holm's correction over the finalists of a run; only
	// results from before there were rulings have it.
	Adjusted float64 `json:"adjusted,omitempty"`
	// Accepted reports whether it is recommended for adoption: proven on new tasks.
	Accepted bool   `json:"accepted"`
	Reason   string `json:"reason"`
	// Ruling is the verdict on all its evidence, including that of earlier nights.
	Ruling *stats.Ruling `json:"ruling,omitempty"`
	// Runs lists the runs whose confirmations the ruling rests on, in order.
	Runs []string `json:"runs,omitempty"`
	// Judged holds the parameters of the ruling; nil in results of an older evolve.
	Judged *Judged `json:"judged,omitempty"`
}

// Candidate is one entry of a variant into the confirmation on the holdout. The error
// control across nights counts entries; evidence of later nights is added to the entry
// that is still open.
type Candidate struct {
	Agent string `json:"agent"`
	// Number counts an agent's entries from 1 in the order in which they were made.
	Number   int            `json:"number"`
	Variant  agent.ConfigID `json:"variant"`
	Champion agent.ConfigID `json:"champion"`
	// Run and Time are those of the entry.
	Run  string    `json:"run"`
	Time time.Time `json:"time,omitzero"`
	// Ledger is the number of the ledger entry that records it; EnterCandidate sets it.
	Ledger int64 `json:"ledger"`
	// Holds is a hash of everything the evidence depends on besides the two configs:
	// holdout tasks and graders, the agent's folder, identity and prices. Evidence with
	// another hash, or against another champion, is void.
	Holds string `json:"holds"`
	// Alpha is the level of the entry, Projected the number of pairs that it was projected
	// to need.
	Alpha     float64 `json:"alpha"`
	Projected float64 `json:"projected"`
	// Gain is its gain over the champion and SD the standard deviation of that, as last
	// estimated by the search, in score units.
	Gain float64 `json:"gain"`
	SD   float64 `json:"sd"`
	// Runs lists the runs that added blocks, in order.
	Runs  []string    `json:"runs"`
	State stats.State `json:"state"`
	// Void names the change of champion, suite or agent that ended it; empty while it is
	// valid.
	Void   string  `json:"void,omitempty"`
	Blocks int     `json:"blocks"`
	LogE   float64 `json:"log_e"`
	Reason string  `json:"reason"`
	// Proof is the look at the evidence that showed it to be better on new tasks; nil: none
	// did.
	Proof *stats.Proof `json:"proof,omitempty"`
}
