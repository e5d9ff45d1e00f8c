package text

import "testing"

// TestCounts checks that a count of one is followed by a noun and a verb in the singular.
func TestCounts(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"1,200 tasks": Count(1200, "task"), "0 tasks": Count(0, "task"), "1 task": Count(1, "task"), "2 tasks": Count(2, "task"),
		"0 entries": Count(0, "entry", "entries"), "1 entry": Count(1, "entry", "entries"), "12 entries": Count(12, "entry", "entries"),
		"1 evaluation leaves": Count(1, "evaluation leaves", "evaluations leave"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
