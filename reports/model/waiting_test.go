package model

import (
	"strings"
	"testing"
	"time"

	"evolve/archive"
)

// TestRequestForALevelWaits checks that an open request for a level of autonomy is listed
// among the things that wait, and that a decided or imported request is not.
func TestRequestForALevelWaits(t *testing.T) {
	a := archive.OpenMemory()
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, state := range []archive.ProposalState{archive.Rejected, archive.Drafted, archive.Awaiting, archive.Adopted} {
		_, err := a.NewProposal(t.Context(), archive.ProposalRecord{
			Kind: archive.KindAutonomy, State: state, Agent: "aide", Created: at, Autonomy: &archive.AutonomyBrief{From: 1, To: 2},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	list, err := ListWaiting(t.Context(), a, "", at.Add(50*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].Proposal != "P3" || list[0].Words() != "P3 has waited 2 days: autonomy level 2 for aide" || !strings.Contains(list[0].Command, "--reason") {
		t.Errorf("%+v", list)
	}
}
