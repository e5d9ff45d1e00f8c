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
type Candidate = confirm.Entry
