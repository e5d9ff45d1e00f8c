package night

import (
	"evolve/mutate"
	"evolve/mutate/reflection"
	"evolve/runtime/agent"
)

// DraftKind is the kind of the ledger entries that hold a [DraftNote]; their subject is the
// run.
const DraftKind = "search.draft"

// AskedKind is the kind of the ledger entries that hold an [AskedNote]; their subject is
// the run.
const AskedKind = "search.request"

// AskedNote is the ledger's record of a request that is about to be sent. If no [DraftNote]
// refers to its entry, the process was killed during the request.
type AskedNote struct {
	Agent string `json:"agent"`
	Brief int64  `json:"brief"`
	Route string `json:"route"`
	// Tokens and USD are upper bounds on the usage of the request.
	Tokens int64   `json:"tokens"`
	USD    float64 `json:"usd"`
}

// DraftNote is the ledger's record of a brief from the search: the request to a language
// model, the result of the request and its cost.
type DraftNote struct {
	Agent     string         `json:"agent"`
	Brief     int64          `json:"brief"` // the number of the trial, from 0
	Variant   agent.ConfigID `json:"variant"`
	Component string         `json:"component"`
	// Form, Route, Model and Wording describe the request; they are empty in notes written
	// before these fields existed.
	Form    mutate.Form `json:"form,omitempty"`
	Route   string      `json:"route,omitempty"`
	Model   string      `json:"model,omitempty"`
	Wording string      `json:"wording,omitempty"`
	// Draft is the resulting variant. If there is none, Reason is the cause, and, if the
	// request was not answered, Outcome is how it ended.
	Draft   agent.ConfigID `json:"draft,omitempty"`
	Reason  string         `json:"reason,omitempty"`
	Outcome agent.Outcome  `json:"outcome,omitempty"`
	// Plain reports whether plain text was requested instead of JSON. Unreadable reports
	// whether the answer did not have the requested form, and Unbound reports whether no
	// schema was applied to it.
	Plain      bool `json:"plain,omitempty"`
	Unreadable bool `json:"unreadable,omitempty"`
	Unbound    bool `json:"unbound,omitempty"`
	// Asked is the number of the ledger entry that was written before the request was sent;
	// 0 means that there was none. Cut reports whether the request was cut off; if so, the
	// bounds in that entry count as its usage. Full reports whether a bound ended the
	// requests to the route.
	Asked int64 `json:"asked,omitempty"`
	Cut   bool  `json:"cut,omitempty"`
	// Attempts are the amounts that are counted for each attempt at the request; it is nil
	// if their sum is Usage.
	Attempts []reflection.Attempt `json:"attempts,omitempty"`
	Full     bool                 `json:"full,omitempty"`
	Usage    agent.Usage          `json:"usage"`
	// InUse describes the part of live turns that the request contained; it is empty if
	// there was none.
	InUse string `json:"in_use,omitempty"`
}
