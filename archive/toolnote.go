package archive

import (
	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// ToolNote describes the experience with a tool in an agent's live turns, as it was when a
// run began, and what the run did about the tool. All its texts are foreign text.
type ToolNote struct {
	Agent string `json:"agent"`
	// Origin is "local", "authored" or "mcp:SERVER".
	Origin string `json:"origin"`
	experience.Advice
	// Signatures are the most frequent groups of equal failures of the tool.
	Signatures []experience.Signature `json:"signatures,omitempty"`
	// Champion holds the most frequent groups of equal failures of the tool. Only
	// failures in this run's evaluations of the champion on search tasks count.
	Champion []experience.Signature `json:"champion_signatures,omitempty"`
	// Draft is the run's attempt to have the tool rewritten; it is nil if there was none.
	Draft *ToolDraft `json:"draft,omitempty"`
}

// ToolDraft is an attempt to have a tool rewritten by a language model.
type ToolDraft struct {
	// Text describes in words the result of the attempt; untrusted text in it is not
	// escaped.
	Text string `json:"text"`
	// Proposal is the resulting proposal and State its state at the end of the attempt; both
	// are empty when nothing was proposed.
	Proposal string        `json:"proposal,omitempty"`
	State    ProposalState `json:"state,omitempty"`
	// Route is the route of the model, Calls is the number of its calls, and Usage is the
	// sum of their usage.
	Route string      `json:"route,omitempty"`
	Calls int         `json:"calls,omitempty"`
	Usage agent.Usage `json:"usage,omitzero"`
}
