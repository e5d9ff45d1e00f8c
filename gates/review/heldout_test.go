package review

import (
	"testing"

	"evolve/archive"
	"evolve/patch"
)

// TestWithoutHeldOut checks that no model gets the evidence of a gate that runs the
// scoring command, and that the other gates stay as they are.
func TestWithoutHeldOut(t *testing.T) {
	t.Parallel()
	w := &gateRun{}
	w.target.Scoring = &Scoring{Score: []string{"sh", "score.sh"}}
	w.files = []patch.File{{Path: "rank.sh"}}
	var verdicts []archive.GateVerdict
	for _, g := range append(w.programGates(), w.restoredGates("a", "b")...) {
		verdicts = append(verdicts, archive.GateVerdict{Gate: g.Name, Verdict: "flagged", Evidence: "error 19.72 → 5.305, the mean of 60 cases"})
	}
	if len(verdicts) < 3 {
		t.Fatalf("there are %d gates", len(verdicts))
	}
	for _, v := range WithoutHeldOut(verdicts) {
		if v.Evidence != Withheld || v.Verdict != "flagged" {
			t.Errorf("models get %+v", v)
		}
	}
	scope := archive.GateVerdict{Gate: gateScope, Verdict: "failed", Evidence: "it changes README"}
	if got := WithoutHeldOut([]archive.GateVerdict{scope}); got[0] != scope {
		t.Errorf("models get %+v of another gate", got)
	}
	if verdicts[0].Evidence == Withheld {
		t.Error("the proposal itself has lost its evidence")
	}
}
