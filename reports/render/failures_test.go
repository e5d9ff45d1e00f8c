package render

import (
	"strings"
	"testing"

	"evolve/bench/stats"
)

func TestFailuresInTheBox(t *testing.T) {
	r := adoptWorld(t, 0).report()
	h := r.Agents[0].Headline
	if row := failuresRow(*h, "champion"); len(row.Note) > 0 || strings.Contains(r.Agents[0].Decision.Sentence, "crashes") {
		t.Errorf("nothing failed, and the box says %q", row.Note.raw())
	}
	h.Evidence.Failures = &stats.Failures{Variant: 5, Tasks: 40, VariantRuns: 7, Runs: 80, Only: 5, OnlyMost: .2447}
	if got, want := failuresRow(*h, "champion").Note.raw(), "champion 0 of 40 tasks → variant 5 of 40 (12.5 %); 5 that the champion answers, which happens on at most 24.5 % of new tasks, with 95 % confidence"; got != want {
		t.Errorf("the row is %q, want %q", got, want)
	}
	if got, want := failuresRow(*h, "what waits").Note.raw(), "what waits 0 of 40 tasks → variant 5 of 40 (12.5 %); 5 that what waits answers, which happens on at most 24.5 % of new tasks, with 95 % confidence"; got != want {
		t.Errorf("the row is %q, want %q", got, want)
	}
	// Fewer failures are not a price, even if a task that passed before now fails.
	if row := failuresRow(*h, "champion"); row.Price == "" || row.Note[0].Style != bad {
		t.Errorf("more failures are no price: %+v", row)
	}
	h.Evidence.Failures.Champion = 6
	if row := failuresRow(*h, "champion"); row.Price != "" || row.Note[0].Style == bad {
		t.Errorf("fewer failures are a price: %+v", row)
	}
}
