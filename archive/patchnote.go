package archive

import "evolve/runtime/agent"

// PatchNote is what a night did about patches of one target: the search for better
// values of marked constants, or what a language model wrote.
type PatchNote struct {
	Target string `json:"target"`
	// Origin is "constants" or "model", as in [PatchBrief].
	Origin string `json:"origin"`
	// Agent is whose failures a language model was shown; empty for constants.
	Agent string `json:"agent,omitempty"`
	// Proposal is what came of it, in the state it was left in; both are empty when
	// nothing was proposed.
	Proposal string        `json:"proposal,omitempty"`
	State    ProposalState `json:"state,omitempty"`
	// Text says in words what happened; what is foreign in it is unescaped.
	Text string `json:"text"`
	// Runs counts the runs of benchmarks.
	Runs  int         `json:"runs,omitempty"`
	Usage agent.Usage `json:"usage,omitzero"`
	// GatesUSD is what its gates and its review have cost besides, in USD.
	GatesUSD float64 `json:"gates_usd,omitempty"`
	// Ground names all that a search for constants depends on, and Settled says that
	// the same search would be no news: both are for the nights after.
	Ground  string `json:"ground,omitempty"`
	Settled bool   `json:"settled,omitempty"`
}
