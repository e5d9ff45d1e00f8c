package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
)

// TestGateGroups checks that each gate is in exactly one group, and that gates that did not
// pass are named.
func TestGateGroups(t *testing.T) {
	t.Parallel()
	failed := archive.GateVerdict{Gate: "program: canary", Verdict: "failed", Evidence: "an invalid text passes"}
	waits := archive.GateVerdict{Gate: "beside", Verdict: "not_run"}
	got := GateGroups([]archive.GateVerdict{
		{Gate: "apply", Verdict: "passed"},
		{Gate: "source: reach", Verdict: "passed"},
		{Gate: "a gate of tomorrow", Verdict: "passed"},
		{Gate: "vet", Verdict: "passed"},
		{Gate: "program", Verdict: "passed"},
		failed, waits,
		{Gate: "race", Verdict: "not_run", Evidence: "stopped"},
		{Gate: "rollback", Verdict: "not_run", Evidence: "needs race"},
		{Gate: "rename", Verdict: "not_run", Evidence: "stopped"},
	})
	want := []GateGroup{
		{Name: "scope and safety", Passed: 3, All: 3},
		{Name: "builds and tests", Passed: 1, All: 4, Rest: []archive.GateVerdict{
			{Gate: "race, rename", Verdict: "not_run", Evidence: "stopped"},
			{Gate: "rollback", Verdict: "not_run", Evidence: "needs race"},
		}},
		{Name: "tests notice broken code", All: 1, Rest: []archive.GateVerdict{waits}},
		{Name: "score and program", Passed: 1, All: 2, Rest: []archive.GateVerdict{failed}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the groups are (-want +got)\n%s", diff)
	}
	if words := got[0].Words() + "; " + got[3].Words(); words != "passed, 3 of 3; 1 of 2 passed" {
		t.Errorf("described as %q", words)
	}
}
