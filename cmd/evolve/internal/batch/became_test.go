package batch

import (
	"strings"
	"testing"

	"evolve/archive"
	"evolve/gates/review"
)

// TestDescribeBecame checks that what people wrote comes first and only once, that diffs
// come last, and that no measurement by a gate on held-out cases is revealed.
func TestDescribeBecame(t *testing.T) {
	t.Parallel()
	patch := func(id string, state archive.ProposalState, d *archive.DecisionBrief) archive.ProposalRecord {
		return archive.ProposalRecord{
			ID: id, State: state, Decision: d, Patch: &archive.PatchBrief{Gain: "error 19.72 → 5.305, the mean of 30 held-out cases"},
			Gates: []archive.GateVerdict{
				{Gate: "scope", Verdict: "flagged", Evidence: "it changes two files"},
				{Gate: "apply", Verdict: "passed", Evidence: "it applies"},
				{Gate: "program", Verdict: "flagged", Evidence: "the target names no test command; error 19.72 → 5.305, the mean of 60 cases"},
			},
			Files: []archive.FileChange{{Path: "curve.sh", Old: []byte("a=1\n"), New: []byte("a=" + id + "\n")}},
		}
	}
	reviewed := patch("P2", archive.GateFailed, nil)
	reviewed.Patch.Review = &archive.Review{Reasons: "it knows the cases"}
	text := describeBecame([]archive.ProposalRecord{
		patch("P4", archive.Adopted, &archive.DecisionBrief{Action: "approve", Reason: "read it"}),
		patch("P3", archive.RolledBack, &archive.DecisionBrief{Action: "rollback", Reason: "it drifted"}),
		reviewed,
		patch("P1", archive.Rejected, &archive.DecisionBrief{Action: "reject", Reason: "sevens are not what the sensor gives"}),
	})
	at := 0
	for _, want := range []string{
		"person on proposal P4, approve: read it\n", "person on proposal P3, rollback: it drifted\n", "person on proposal P1, reject: sevens are not",
		"proposal P4 is adopted\n\nproposal P3 is rolled_back\ngate scope, flagged: it changes two files\ngate program, flagged: " + review.Withheld,
		"proposal P2 is failed\n", "reviewer: it knows the cases", "proposal P1 is rejected", "diff of proposal P3\n", "+a=P3", "diff of proposal P1\n",
	} {
		next := strings.Index(text[at:], want)
		if next < 0 {
			t.Fatalf("%q is not in its place in\n%s", want, text)
		}
		at += next
	}
	for _, never := range []string{"19.72", "5.305", "held-out cases; ", "+a=P4", "it applies"} {
		if strings.Contains(text, never) {
			t.Errorf("%q is told in\n%s", never, text)
		}
	}
	if strings.Count(text, "sevens are not") != 1 {
		t.Errorf("the person's words stand there more than once:\n%s", text)
	}
}
