package archive

import (
	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// ToolNote is what the turns in use of an agent had shown of a tool when a run began, and
// what the run did about it. Its texts are foreign.
type ToolNote struct {
	Agent string `json:"agent"`
	// Origin is local, authored, or mcp:SERVER.
	Origin string `json:"origin"`
	experience.Advice
	// Signatures are the most frequent of the tool's equal failures.
	Signatures []experience.Signature `json:"signatures,omitempty"`
	// Champion are the most frequent equal failures of the tool in the champion's evaluations
	// of search tasks in this run.
	Champion []experience.Signature `json:"champion_signatures,omitempty"`
	// Draft is the run's attempt to have the tool written anew; nil for none.
	Draft *ToolDraft `json:"draft,omitempty"`
}

// ToolDraft is an attempt to have a tool written anew by a language model.
type ToolDraft struct {
	// Text describes in words what came of it; foreign text in it is not escaped.
	Text string `json:"text"`
	// Proposal is the resulting proposal and State its state at the end of the attempt; both
	// are empty when nothing was proposed.
	Proposal string        `json:"proposal,omitempty"`
	State    ProposalState `json:"state,omitempty"`
	// Route is the model's, Calls the number of its calls, and Usage what they used.
	Route string      `json:"route,omitempty"`
	Calls int         `json:"calls,omitempty"`
	Usage agent.Usage `json:"usage,omitzero"`
}
