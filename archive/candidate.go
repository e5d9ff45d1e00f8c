package archive

import (
	"evolve/bench/confirm"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Finalist is a variant that was tried in the confirmation on the holdout.
type Finalist struct {
	Variant    agent.ConfigID   `json:"variant"`
	Comparison stats.Comparison `json:"comparison"`
	// SearchDifference is the variant's estimated gain over the champion on the search
	// tasks.
	SearchDifference float64 `json:"search_difference"`
	// Adjusted is the p-value after Holm's correction over the finalists of a run. It is
	// set only in results that were stored before rulings were introduced.
	Adjusted float64 `json:"adjusted,omitempty"`
	// Accepted reports whether the variant is recommended for adoption, that is, proven on
	// new tasks.
	Accepted bool   `json:"accepted"`
	Reason   string `json:"reason"`
	// Ruling is the verdict on all evidence about the variant, including evidence from
	// earlier nights.
	Ruling *stats.Ruling `json:"ruling,omitempty"`
	// Runs lists the runs whose confirmations the ruling rests on, in order.
	Runs []string `json:"runs,omitempty"`
	// Judged holds the parameters of the ruling; it is nil in results from an older version
	// of evolve.
	Judged *Judged `json:"judged,omitempty"`
}

// Candidate is one entry of a variant into the confirmation on the holdout. The error
// control across nights counts entries; evidence from later nights is added to the entry
// that is still open.
type Candidate = confirm.Entry
