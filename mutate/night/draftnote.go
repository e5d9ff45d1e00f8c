package night

import (
	"evolve/mutate"
	"evolve/mutate/reflection"
	"evolve/runtime/agent"
)

// DraftKind is the kind of the ledger's entries that hold a [DraftNote]; their subject
// is the run.
const DraftKind = "search.draft"

// AskedKind is the kind of the ledger's entries that hold an [AskedNote]; their subject is
// the run.
const AskedKind = "search.request"

// AskedNote is the ledger's record of a request that is about to be sent. If no
// [DraftNote] names its entry, a kill cut the request off.
type AskedNote struct {
	Agent string `json:"agent"`
	Brief int64  `json:"brief"`
	Route string `json:"route"`
	// Tokens and USD are upper bounds of its usage.
	Tokens int64   `json:"tokens"`
	USD    float64 `json:"usd"`
}

// DraftNote is the ledger's record of a brief of the search: the request to a language
// model, its result and its cost.
type DraftNote struct {
	Agent     string         `json:"agent"`
	Brief     int64          `json:"brief"` // the number of the trial, from 0
	Variant   agent.ConfigID `json:"variant"`
	Component string         `json:"component"`
	// Form, Route, Model and Wording describe the request; empty in notes from before they
	// were recorded.
	Form    mutate.Form `json:"form,omitempty"`
	Route   string      `json:"route,omitempty"`
	Model   string      `json:"model,omitempty"`
	Wording string      `json:"wording,omitempty"`
	// Draft is the resulting variant; without one, Reason is the cause, and Outcome is
	// the outcome of a request without an answer.
	Draft   agent.ConfigID `json:"draft,omitempty"`
	Reason  string         `json:"reason,omitempty"`
	Outcome agent.Outcome  `json:"outcome,omitempty"`
	// Plain reports whether plain text was requested instead of JSON, Unreadable whether
	// the answer lacks the requested form, and Unbound whether no schema was applied to
	// it.
	Plain      bool `json:"plain,omitempty"`
	Unreadable bool `json:"unreadable,omitempty"`
	Unbound    bool `json:"unbound,omitempty"`
	// Asked is the number of the ledger's entry about the request, before it was sent; 0
	// where none was. Cut reports whether the request was cut off: it then counts with
	// the bounds in that entry. Full reports whether a bound on requests ended those to
	// the route.
	Asked int64 `json:"asked,omitempty"`
	Cut   bool  `json:"cut,omitempty"`
	// Attempts are the amounts that the attempts of the request count as; nil if their
	// sum is Usage.
	Attempts []reflection.Attempt `json:"attempts,omitempty"`
	Full     bool                 `json:"full,omitempty"`
	Usage    agent.Usage          `json:"usage"`
	// InUse describes the part of live turns that the request showed; empty for none.
	InUse string `json:"in_use,omitempty"`
}
