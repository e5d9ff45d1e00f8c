package render

import (
	"testing"

	"evolve/archive"
	"evolve/reports/model"
)

// TestRefusedWithoutAProposal checks that the heading distinguishes a variant that gates
// refused from a variant for which there is no proposal, so that no gate could judge it.
func TestRefusedWithoutAProposal(t *testing.T) {
	t.Parallel()
	r := adoptWorld(t, 0).report()
	s := subject{report: r, agent: r.Agents[0]}
	s.agent.Decision.Verdict = model.Refused
	name := s.agent.Headline.Variant.Name()
	s.agent.Decision.Proposals = []model.Proposal{{ID: "P1", State: "failed"}}
	if got := decisionBox(s).Claim; got != name+" has a proposal without a record of its gates" {
		t.Error(got)
	}
	for gate, want := range map[string]string{"program": " was refused by the gate program of P1", "<b>*x*": " was refused by a gate of P1"} {
		s.agent.Decision.Proposals[0].Gates = []archive.GateVerdict{{Gate: "scope", Verdict: "passed"}, {Gate: gate, Verdict: "failed"}}
		if got := decisionBox(s).Claim; got != name+want {
			t.Error(got)
		}
	}
	s.agent.Decision.Proposals[0].Gates = []archive.GateVerdict{{Gate: "scope", Verdict: "passed"}, {Gate: "build", Verdict: "not_run"}}
	if got := decisionBox(s).Claim; got != name+" waits for the gate build of P1, which did not run" {
		t.Error(got)
	}
	s.agent.Decision.Proposals = nil
	if got := decisionBox(s).Claim; got != name+" has no proposal" {
		t.Error(got)
	}
}
