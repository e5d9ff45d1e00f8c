package archive

import "evolve/runtime/agent"

// PatchNote records a night's work on patches for one target: the search for better values
// of marked constants, or the work of a language model.
type PatchNote struct {
	Target string `json:"target"`
	// Origin is "constants", "blocks" or "model", as in [PatchBrief].
	Origin string `json:"origin"`
	// Agent is the agent whose failures were given to a language model; it is empty for
	// constants.
	Agent string `json:"agent,omitempty"`
	// Proposal is the resulting proposal, and State is its state at the end; both are empty
	// if nothing was proposed.
	Proposal string        `json:"proposal,omitempty"`
	State    ProposalState `json:"state,omitempty"`
	// Text describes in words what happened; untrusted text in it is not escaped.
	Text string `json:"text"`
	// Runs is the number of benchmark runs.
	Runs  int         `json:"runs,omitempty"`
	Usage agent.Usage `json:"usage,omitzero"`
	// GatesUSD is the cost of the proposal's gates and review, in USD.
	GatesUSD float64 `json:"gates_usd,omitempty"`
	// Ground identifies all inputs of a search for constants, and Settled reports whether
	// repeating the search would find nothing new. Later nights use both.
	Ground  string `json:"ground,omitempty"`
	Settled bool   `json:"settled,omitempty"`
}
