package archive

import "time"

// DecisionBrief is the latest decision on a proposal.
type DecisionBrief struct {
	Action string    `json:"action"`
	By     string    `json:"by"`
	Reason string    `json:"reason,omitempty"`
	Time   time.Time `json:"time,omitzero"`
	Commit string    `json:"commit,omitempty"`
	// Merge is where the decision was made, if that was not here.
	Merge *MergeBrief `json:"merge,omitempty"`
}

// MergeBrief is a decision that a person made at a remote: by a merge, which made Commit, or by
// deleting the branch. The persons are data of the commit, which its author wrote; nothing shows
// who deleted a branch.
type MergeBrief struct {
	Remote string `json:"remote"`
	// Branch is the branch to which the proposal was pushed, and Base the branch that it
	// was to be merged into.
	Branch string `json:"branch"`
	Base   string `json:"base"`
	// Commit is the commit with which it came into Base; empty if the branch was deleted.
	Commit    string    `json:"commit,omitempty"`
	Author    string    `json:"author,omitempty"`
	Committer string    `json:"committer,omitempty"`
	Time      time.Time `json:"time,omitzero"`
	// Altered lists the files that are not as proposed in Commit.
	Altered []string `json:"altered,omitempty"`
	// Tip is the commit to which others had moved the branch, if Commit makes the change of
	// that commit; empty otherwise.
	Tip string `json:"tip,omitempty"`
	// Named reports whether a person named Commit as the merge although nothing in the
	// commit shows that.
	Named bool `json:"named,omitempty"`
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
	// Withdraws is the approval that a rejection withdraws before a commit executed it.
	Withdraws DecisionBrief `json:"withdraws,omitzero"`
	// Merge is as in [DecisionBrief].
	Merge *MergeBrief `json:"merge,omitempty"`
}
