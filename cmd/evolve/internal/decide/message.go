package decide

import (
	"fmt"
	"strings"

	"evolve/archive"
	"evolve/runtime/text"
)

// proposalMessage returns the message of the commit on the proposal's ref.
func proposalMessage(p archive.ProposalRecord) string {
	return Message("evolve: propose "+p.Title, p.Rationale, [][2]string{
		{"Evolve-Proposal", p.ID},
		{"Evolve-Agent", p.Agent},
		{"Evolve-Variant", string(p.Variant)},
		{"Evolve-Run", p.Run},
		{"Evolve-Evidence", p.Evidence},
	})
}

// adoptionMessage returns the message of the commit that adopts a proposal.
func adoptionMessage(p archive.ProposalRecord, d archive.DecisionRecord, audit string) string {
	return Message(fmt.Sprintf("evolve: adopt %s (%s)", p.Title, p.ID), p.Rationale, [][2]string{
		{"Evolve-Proposal", p.ID},
		{"Evolve-Agent", p.Agent},
		{"Evolve-Variant", string(p.Variant)},
		{"Evolve-Run", p.Run},
		{"Evolve-Evidence", p.Evidence},
		{"Evolve-Approved-By", d.By},
		{"Evolve-Reason", d.Reason},
		{"Evolve-Audit", audit},
	})
}

// rollbackMessage returns the message of the commit that reverts an adoption.
func rollbackMessage(p archive.ProposalRecord, d archive.DecisionRecord, audit string) string {
	return Message(fmt.Sprintf("evolve: roll back %s (%s)", p.Title, p.ID), d.Reason, [][2]string{
		{"Evolve-Rollback", p.ID},
		{"Evolve-Agent", p.Agent},
		{"Evolve-Variant", string(p.Champion)},
		{"Evolve-Reverts", p.AdoptedCommit},
		{"Evolve-Rolled-Back-By", d.By},
		{"Evolve-Audit", audit},
	})
}

// Message joins a subject, a body and trailers. Each part becomes one line of visible
// characters, so that no untrusted text can forge a trailer; a body that begins like one
// of evolve's trailers is quoted with ">".
func Message(subject, body string, trailers [][2]string) string {
	var b strings.Builder
	b.WriteString(oneLine(subject) + "\n\n")
	if body = oneLine(body); body != "" {
		if strings.HasPrefix(strings.ToLower(body), "evolve-") {
			body = "> " + body
		}
		b.WriteString(body + "\n\n")
	}
	for _, t := range trailers {
		if v := oneLine(t[1]); v != "" {
			b.WriteString(t[0] + ": " + v + "\n")
		}
	}
	return b.String()
}

func oneLine(s string) string { return text.OneLine(s) }
