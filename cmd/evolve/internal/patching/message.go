package patching

import (
	"fmt"

	"evolve/archive"
	"evolve/cmd/evolve/internal/decide"
)

// proposalMessage returns the message of the commit on the proposal's ref.
func proposalMessage(p archive.ProposalRecord) string {
	return decide.Message("evolve: propose "+p.Title, p.Rationale, [][2]string{
		{"Evolve-Proposal", p.ID},
		{"Evolve-Agent", p.Agent},
		{"Evolve-Base", p.Patch.BaseCommit},
	})
}

// adoptionMessage returns the message of the commit that adopts a patch.
func adoptionMessage(p archive.ProposalRecord, by, reason, audit string) string {
	return decide.Message(fmt.Sprintf("evolve: adopt %s (%s)", p.Title, p.ID), p.Rationale, [][2]string{
		{"Evolve-Proposal", p.ID},
		{"Evolve-Agent", p.Agent},
		{"Evolve-Digest", p.Patch.Digest},
		{"Evolve-Approved-By", by},
		{"Evolve-Reason", reason},
		{"Evolve-Audit", audit},
	})
}

// rollbackMessage returns the message of the commit that reverts an adoption.
func rollbackMessage(p archive.ProposalRecord, by, reason, digest, audit string) string {
	return decide.Message(fmt.Sprintf("evolve: roll back %s (%s)", p.Title, p.ID), reason, [][2]string{
		{"Evolve-Rollback", p.ID},
		{"Evolve-Agent", p.Agent},
		{"Evolve-Digest", digest},
		{"Evolve-Reverts", p.AdoptedCommit},
		{"Evolve-Rolled-Back-By", by},
		{"Evolve-Audit", audit},
	})
}
