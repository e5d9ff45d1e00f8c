package review

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"evolve/archive"
)

// Digest returns the hash that identifies what a review examined and what a person
// approves. It covers the base commit, the candidate tree, the policy, and every gate with
// its evidence.
func Digest(p archive.ProposalRecord) string {
	data, err := json.Marshal(struct {
		Base   string                `json:"base"`
		Tree   string                `json:"tree"`
		Policy string                `json:"policy"`
		Gates  []archive.GateVerdict `json:"gates"`
	}{p.Patch.BaseCommit, p.Patch.Tree, p.Patch.Policy, p.Gates})
	if err != nil {
		panic(err) // strings always encode
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
