package archive

import (
	"encoding/json"
	"time"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// PatchBrief holds the fields that only code patches have. The paths of its files are
// relative to the root of the target's repository.
type PatchBrief struct {
	// Target names the repository; Repository is its folder. Named reports that the
	// settings name it; otherwise a person named it for this proposal alone.
	Target     string `json:"target"`
	Repository string `json:"repository"`
	Named      bool   `json:"named,omitempty"`
	// Author is the agent or person that the patch comes from, and Origin the way in
	// which it was made: "agent", "person", "model", "constants" or "blocks".
	Author string `json:"author"`
	Origin string `json:"origin"`
	// Variant is the variant of searched code that the patch implements; empty for other
	// patches.
	Variant agent.ConfigID `json:"variant,omitempty"`
	// Submitted is the SHA-256, in hexadecimal, of the text that was handed in.
	Submitted string `json:"submitted,omitempty"`
	// BaseCommit is the commit that it was gated on, Tree the resulting tree, Policy the
	// digest of Terms, the target's scope and gate settings.
	BaseCommit string          `json:"base_commit"`
	Tree       string          `json:"tree"`
	Policy     string          `json:"policy"`
	Terms      json.RawMessage `json:"terms,omitempty"`
	// Digest covers base commit, tree, policy and the gates' evidence: a review and an
	// approval refer to it.
	Digest string `json:"digest"`
	// NewTests are the test files that it adds.
	NewTests []string `json:"new_tests,omitempty"`
	// Gain is the measured effect of a patch that is justified by a benchmark.
	Gain string `json:"gain,omitempty"`
	// Confirmed holds the measurements of the confirmation of its night; nil for other
	// patches.
	Confirmed *Confirmed `json:"confirmed,omitempty"`
	// Sandbox names the isolation that its tests ran in.
	Sandbox string  `json:"sandbox,omitempty"`
	Review  *Review `json:"review,omitempty"`
	// Unreviewed is the reason why no agent has reviewed this version; nil if one has, or
	// if no reviewer was asked yet.
	Unreviewed *Unreviewed `json:"unreviewed,omitempty"`
	// Waits is the reason why a draft waits for its gates; empty once they have begun, and if
	// a crash ended them. Foreign text in it is not escaped.
	Waits string `json:"waits,omitempty"`
	// Attempt is the number of the ledger entry with which the attempt began; 0 for a draft
	// whose author may not attempt it yet.
	Attempt int64 `json:"attempt,omitempty"`
	// Interrupted counts the times that its gates began again after they were stopped or
	// their process ended.
	Interrupted int `json:"interrupted,omitempty"`
	// CostUSD is the cost of its trial as an agent and of its review, in USD.
	CostUSD float64 `json:"cost_usd,omitempty"`
}

// Confirmed holds the measurements of a version of searched code in a confirmation on
// held-out cases.
type Confirmed struct {
	// Difference is the gain, and Lo the lower bound of the gain on new cases, in score units.
	Difference float64 `json:"difference"`
	Lo         float64 `json:"lo"`
	// Means describes the mean values of the metric; empty where there is none.
	Means string `json:"means,omitempty"`
	// Further are the differences in the other metrics that the command prints.
	Further []stats.Further `json:"further,omitempty"`
}

// Unreviewed is the reason why there is no review of a patch.
type Unreviewed struct {
	// Reviewer is the reviewer that was asked and gave no verdict; empty if there was
	// none.
	Reviewer string `json:"reviewer,omitempty"`
	// Why is foreign text where a provider or a model wrote it.
	Why string `json:"why"`
}

// String returns the reason in words.
func (u Unreviewed) String() string {
	if u.Reviewer == "" {
		return u.Why
	}
	return u.Reviewer + " was asked and gave no verdict: " + u.Why
}

// Review is another agent's verdict on a patch: advice and a veto, never an approval.
type Review struct {
	Reviewer string `json:"reviewer"`
	Approve  bool   `json:"approve"`
	// Reasons is foreign text.
	Reasons string `json:"reasons"`
	// Digest is that of the patch that was reviewed; the review holds for no other.
	Digest string    `json:"digest"`
	Time   time.Time `json:"time,omitzero"`
}
