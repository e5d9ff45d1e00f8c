package model

import (
	"testing"

	"evolve/archive"
)

// TestVerdictNow checks that a night's verdict is never better than the gates' findings on
// its proposals, and that a proposal whose target has merely changed is not evidence
// against the verdict.
func TestVerdictNow(t *testing.T) {
	apply := []archive.GateVerdict{{Gate: archive.ApplyGate, Verdict: "failed"}}
	gated := &archive.PatchBrief{Sandbox: "namespaces"}
	outdated := archive.ProposalRecord{ID: "P1", State: archive.GateFailed, Patch: gated, Gates: apply}
	refused := archive.ProposalRecord{ID: "P2", State: archive.GateFailed, Patch: gated, Gates: []archive.GateVerdict{{Gate: archive.ApplyGate, Verdict: "passed"}, {Gate: "program", Verdict: "failed"}}}
	unjudged := archive.ProposalRecord{ID: "P3", State: archive.GateFailed, Patch: &archive.PatchBrief{}, Gates: apply}
	config := archive.ProposalRecord{ID: "P4", State: archive.GateFailed}
	draft := archive.ProposalRecord{ID: "P5", State: archive.Drafted, Patch: &archive.PatchBrief{}}
	for name, c := range map[string]struct {
		proposals []archive.ProposalRecord
		want      archive.Verdict
	}{
		"none":                      {nil, archive.Adopt},
		"outdated":                  {[]archive.ProposalRecord{outdated}, archive.Adopt},
		"refused":                   {[]archive.ProposalRecord{refused}, archive.Refused},
		"a config":                  {[]archive.ProposalRecord{config}, archive.Refused},
		"one refused, one outdated": {[]archive.ProposalRecord{refused, outdated}, archive.Adopt},
		"never judged":              {[]archive.ProposalRecord{unjudged}, archive.Refused},
		"a draft":                   {[]archive.ProposalRecord{refused, draft}, archive.Waits},
	} {
		if got := VerdictNow(archive.Adopt, c.proposals); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if got := VerdictNow(archive.Keep, c.proposals); got != archive.Keep {
			t.Errorf("%s: a night that kept its champion is %s", name, got)
		}
	}
	if got, want := OutdatedWords([]archive.ProposalRecord{refused, outdated}), "; the target has changed since, and P1 no longer applies"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
