package nightly

import "evolve/runtime/agent"

// DraftKind is the kind of the ledger's entries that hold a [DraftNote]; their subject
// is the run.
const DraftKind = "search.draft"

// DraftNote is the ledger's word on a brief of the search: what a language model was
// asked for, what came of it and what it cost.
type DraftNote struct {
	Agent     string         `json:"agent"`
	Brief     int64          `json:"brief"` // the number of the trial, from 0
	Variant   agent.ConfigID `json:"variant"`
	Component string         `json:"component"`
	// Draft is the variant that came of it; without one, Reason says why.
	Draft  agent.ConfigID `json:"draft,omitempty"`
	Reason string         `json:"reason,omitempty"`
	Usage  agent.Usage    `json:"usage"`
}
