package archive

import "time"

// DecisionBrief is the latest decision on a proposal.
type DecisionBrief struct {
	Action string    `json:"action"`
	By     string    `json:"by"`
	Reason string    `json:"reason,omitempty"`
	Time   time.Time `json:"time,omitzero"`
	Commit string    `json:"commit,omitempty"`
	// Merge describes the decision if it was made at a remote; otherwise it is nil.
	Merge *MergeBrief `json:"merge,omitempty"`
}

// MergeBrief is a decision that a person made at a remote, either by a merge, which created
// Commit, or by deleting the branch. The names of the people come from the metadata of the
// commit, which its author wrote; nothing shows who deleted a branch.
type MergeBrief struct {
	Remote string `json:"remote"`
	// Branch is the branch to which the proposal was pushed, and Base is the branch into
	// which it was to be merged.
	Branch string `json:"branch"`
	Base   string `json:"base"`
	// Commit is the commit that brought the proposal into Base; it is empty if the branch
	// was deleted.
	Commit    string    `json:"commit,omitempty"`
	Author    string    `json:"author,omitempty"`
	Committer string    `json:"committer,omitempty"`
	Time      time.Time `json:"time,omitzero"`
	// Altered lists the files whose content in Commit differs from the proposal.
	Altered []string `json:"altered,omitempty"`
	// Tip is set only if others had moved the branch and Commit makes the same change as
	// the commit to which they moved it. Tip is then that commit; otherwise it is empty.
	Tip string `json:"tip,omitempty"`
	// Named reports whether a person named Commit as the merge although nothing in the
	// commit shows that it is.
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
	// Withdraws is the approval that this rejection withdrew before the approval was
	// committed; it is zero for all other decisions.
	Withdraws DecisionBrief `json:"withdraws,omitzero"`
	// Merge has the same meaning as in [DecisionBrief].
	Merge *MergeBrief `json:"merge,omitempty"`
}
