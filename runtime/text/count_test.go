package text

import "testing"

// TestCounts checks that one thing is in the singular, with its verb.
func TestCounts(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 tasks": Count(0, "task"), "1 task": Count(1, "task"), "2 tasks": Count(2, "task"),
		"0 entries": Counted(0, "entry", "entries"), "1 entry": Counted(1, "entry", "entries"), "12 entries": Counted(12, "entry", "entries"),
		"1 evaluation leaves": Counted(1, "evaluation leaves", "evaluations leave"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
