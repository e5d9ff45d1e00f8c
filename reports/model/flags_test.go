package model

import (
	"strings"
	"testing"

	"evolve/archive"
)

// TestFlagsEndWithAWord checks that the excerpt shown from a gate's evidence is cut between
// two words.
func TestFlagsEndWithAWord(t *testing.T) {
	evidence := strings.Repeat("reading ", 100)
	got := Flags([]archive.GateVerdict{{Gate: "source", Verdict: "flagged", Evidence: evidence}})
	if len(got) != 1 || !strings.HasSuffix(got[0], "reading…") && !strings.HasSuffix(got[0], "reading …") || len(got[0]) > 2*maxFlag {
		t.Errorf("%q", got)
	}
}
