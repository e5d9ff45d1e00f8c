package review

import (
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/runtime/text"
)

// trailers holds the names and values of the trailers that form the last paragraph of a
// commit message.
type trailers [][2]string

// String returns one line, "name: value", for each trailer whose value is not empty.
func (list trailers) String() string {
	var b strings.Builder
	for _, t := range list {
		if v := text.OneLine(t[1]); v != "" {
			b.WriteString(t[0] + ": " + v + "\n")
		}
	}
	return b.String()
}

// proposalMessage returns the message for the commit on the proposal's ref.
func proposalMessage(p archive.ProposalRecord) string {
	about := trailers{{"Evolve-Variant", string(p.Variant)}, {"Evolve-Run", p.Run}, {"Evolve-Evidence", p.Evidence}}
	if p.Patch != nil {
		about = trailers{{"Evolve-Base", p.Patch.BaseCommit}}
	}
	return message("evolve: propose "+p.Title, p.Rationale, slices.Concat(trailers{{"Evolve-Proposal", p.ID}, {"Evolve-Agent", p.Agent}}, about))
}

// decisionMessage returns the message for the commit that carries out a decision.
func decisionMessage(p archive.ProposalRecord, d archive.DecisionRecord, audit string) string {
	if d.Action == "rollback" {
		about := trailers{{"Evolve-Variant", string(p.Champion)}}
		if p.Patch != nil {
			about = trailers{{"Evolve-Digest", d.Evidence}}
		}
		return message(fmt.Sprintf("evolve: roll back %s (%s)", p.Title, p.ID), d.Reason, slices.Concat(
			trailers{{"Evolve-Rollback", p.ID}, {"Evolve-Agent", p.Agent}}, about,
			trailers{{"Evolve-Reverts", p.AdoptedCommit}, {"Evolve-Rolled-Back-By", d.By}, {"Evolve-Audit", audit}}))
	}
	about := trailers{{"Evolve-Variant", string(p.Variant)}, {"Evolve-Run", p.Run}, {"Evolve-Evidence", p.Evidence}}
	if p.Patch != nil {
		about = trailers{{"Evolve-Digest", d.Evidence}}
	}
	return message(fmt.Sprintf("evolve: adopt %s (%s)", p.Title, p.ID), p.Rationale, slices.Concat(
		trailers{{"Evolve-Proposal", p.ID}, {"Evolve-Agent", p.Agent}}, about,
		trailers{{"Evolve-Approved-By", d.By}, {"Evolve-Reason", d.Reason}, {"Evolve-Audit", audit}}))
}

// message joins a subject, a body and trailers. The subject, the body and each trailer
// become one line of visible characters, so that untrusted text cannot forge a trailer. A
// body that begins like one of evolve's trailers is quoted with ">".
func message(subject, body string, list trailers) string {
	if body = text.OneLine(body); body != "" {
		if strings.HasPrefix(strings.ToLower(body), "evolve-") {
			body = "> " + body
		}
		body += "\n\n"
	}
	return text.OneLine(subject) + "\n\n" + body + list.String()
}
