package model

import (
	"testing"

	"evolve/archive"
)

// TestLimitWordsCountWhatWasLost checks that evaluations that infrastructure prevented
// are named beside those that were used, because the limit counts the prevented ones as
// well.
func TestLimitWordsCountWhatWasLost(t *testing.T) {
	t.Parallel()
	for want, l := range map[string]archive.AgentLimit{
		"evaluations limited the search, 117 of 300 evaluations used, 95 more lost to infrastructure; the confirmation needed no more": {
			Bound: "evaluations", End: archive.LimitLeft, Evaluations: 300, Used: 117, Missing: 95,
		},
		"evaluations limited the search, 205 of 300 evaluations used; the confirmation needed no more": {
			Bound: "evaluations", End: archive.LimitLeft, Evaluations: 300, Used: 205,
		},
		"money limited the run, 90 of 100 evaluations used, 10 more lost to infrastructure": {
			Bound: "money", End: archive.LimitSpent, Evaluations: 100, Used: 90, Missing: 10,
		},
	} {
		if got := LimitWords(l); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
