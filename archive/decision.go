package archive

import "time"

// DecisionBrief is the latest decision on a proposal.
type DecisionBrief struct {
	Action string    `json:"action"`
	By     string    `json:"by"`
	Reason string    `json:"reason,omitempty"`
	Time   time.Time `json:"time,omitzero"`
	Commit string    `json:"commit,omitempty"`
}

// DecisionRecord is a person's decision: approve, reject or rollback.
type DecisionRecord struct {
	Proposal string    `json:"proposal"`
	Action   string    `json:"action"`
	By       string    `json:"by"`
	Reason   string    `json:"reason,omitempty"`
	Time     time.Time `json:"time"`
	Commit   string    `json:"commit,omitempty"`
	Evidence string    `json:"evidence,omitempty"`
	// Withdraws is the approval that a rejection withdraws before a commit carried it out.
	Withdraws DecisionBrief `json:"withdraws,omitzero"`
}
