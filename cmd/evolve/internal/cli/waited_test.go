package cli

import (
	"testing"
	"time"
)

// TestWaited checks how long a proposal is reported to have waited.
func TestWaited(t *testing.T) {
	t.Parallel()
	made := time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC)
	for after, want := range map[time.Duration]string{
		23 * time.Hour:      "",
		24 * time.Hour:      "has waited 1 day for a decision",
		3*24*time.Hour + 1:  "has waited 3 days for a decision",
		-2 * 24 * time.Hour: "", // the clock was set back
	} {
		if got := waited(made, made.Add(after)); got != want {
			t.Errorf("after %v: %q, want %q", after, got, want)
		}
	}
}
