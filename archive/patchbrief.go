package archive

import (
	"encoding/json"
	"time"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// PatchBrief holds the fields that only code patches have. The paths of the patch's files
// are relative to the root of the target's repository.
type PatchBrief struct {
	// Target names the repository, and Repository is its folder. Named reports whether the
	// settings name the target; otherwise a person named it only for this proposal.
	Target     string `json:"target"`
	Repository string `json:"repository"`
	Named      bool   `json:"named,omitempty"`
	// Author is the agent or person that the patch comes from, and Origin is the way in
	// which it was made: "agent", "person", "model", "constants" or "blocks".
	Author string `json:"author"`
	Origin string `json:"origin"`
	// Variant is the variant of searched code that the patch implements; it is empty for
	// other patches.
	Variant agent.ConfigID `json:"variant,omitempty"`
	// Submitted is the SHA-256, in hexadecimal, of the text that was submitted.
	Submitted string `json:"submitted,omitempty"`
	// BaseCommit is the commit on which the patch was gated, Tree is the resulting tree,
	// and Policy is the digest of Terms, which are the target's scope and gate settings.
	BaseCommit string          `json:"base_commit"`
	Tree       string          `json:"tree"`
	Policy     string          `json:"policy"`
	Terms      json.RawMessage `json:"terms,omitempty"`
	// Digest covers the base commit, the tree, the policy and the gates' evidence. A review
	// and an approval refer to it.
	Digest string `json:"digest"`
	// NewTests are the test files that the patch adds.
	NewTests []string `json:"new_tests,omitempty"`
	// Gain is the measured effect of a patch that is justified by a benchmark.
	Gain string `json:"gain,omitempty"`
	// Confirmed holds the measurements from the confirmation of the night that made the
	// patch; it is nil for patches that do not come from such a night.
	Confirmed *Confirmed `json:"confirmed,omitempty"`
	// Sandbox names the isolation in which the patch's tests ran.
	Sandbox string  `json:"sandbox,omitempty"`
	Review  *Review `json:"review,omitempty"`
	// Unreviewed is the reason why no agent has reviewed this version; it is nil if an
	// agent has, or if no reviewer has been asked yet.
	Unreviewed *Unreviewed `json:"unreviewed,omitempty"`
	// Waits is the reason why a draft waits for its gates. It is empty once the gates have
	// begun, even if a crash ended them. Foreign text in it is not escaped.
	Waits string `json:"waits,omitempty"`
	// Attempt is the number of the ledger entry that records the start of an attempt with
	// this patch; it is 0 for a draft whose author may not make the attempt yet.
	Attempt int64 `json:"attempt,omitempty"`
	// Interrupted counts how often the gates of the patch began again after they were
	// stopped or their process ended.
	Interrupted int `json:"interrupted,omitempty"`
	// CostUSD is the cost of trying the patch as an agent and of its review, in USD.
	CostUSD float64 `json:"cost_usd,omitempty"`
}

// Confirmed holds the measurements of a version of searched code in a confirmation on
// held-out cases.
type Confirmed struct {
	// Difference is the gain, and Lo is the lower bound of the gain on new cases, both in
	// score units.
	Difference float64 `json:"difference"`
	Lo         float64 `json:"lo"`
	// Means describes the mean values of the metric; it is empty if there is no metric.
	Means string `json:"means,omitempty"`
	// Further are the differences in the other metrics that the command prints.
	Further []stats.Further `json:"further,omitempty"`
}

// Unreviewed is the reason why there is no review of a patch.
type Unreviewed struct {
	// Reviewer is the reviewer that was asked and gave no verdict; it is empty if there was
	// no reviewer.
	Reviewer string `json:"reviewer,omitempty"`
	// Why is the reason. It is foreign text if a provider or a model wrote it.
	Why string `json:"why"`
}

// String returns the reason in words.
func (u Unreviewed) String() string {
	if u.Reviewer == "" {
		return u.Why
	}
	return u.Reviewer + " was asked for a review but gave no verdict: " + u.Why
}

// Review is another agent's verdict on a patch: advice and a veto, never an approval.
type Review struct {
	Reviewer string `json:"reviewer"`
	Approve  bool   `json:"approve"`
	// Reasons is untrusted text.
	Reasons string `json:"reasons"`
	// Digest is the digest of the patch that was reviewed; the review is valid for no other
	// patch.
	Digest string    `json:"digest"`
	Time   time.Time `json:"time,omitzero"`
}
