package night

import (
	"context"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench/stats"
)

// TestRepeatsThatDiffer runs nights of an agent that is assumed to be deterministic and is
// found to vary, either before the confirmation or during it. It checks that nothing is
// claimed, and that the entry is counted if the confirmation had begun.
func TestRepeatsThatDiffer(t *testing.T) {
	for name, after := range map[string]int{"in the search": 0, "in the confirmation": 1, "never": 1 << 30} {
		o := newNights(t, 40)
		o.Evaluations = 800
		s := o.begin(t)
		open, asked := s.Open, 0
		s.Open = func(ctx context.Context, scratch string) (Opened, error) {
			opened, err := open(ctx, scratch)
			opened.Varies = func() string {
				if asked++; asked > after {
					return "values differ by 3"
				}
				return ""
			}
			return opened, err
		}
		out, err := Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		r := out.Result
		if name == "never" {
			if r.Verdict != archive.Adopt {
				t.Fatalf("%s: %s (%s)", name, r.Verdict, r.Reason)
			}
			continue
		}
		if r.Verdict != archive.Undecided || len(r.Finalist)+len(r.Proposals) > 0 || r.Causes[0].Kind != stats.CauseVaries || !strings.Contains(r.Reason, "values differ by 3") {
			t.Errorf("%s: %s (%s), %+v", name, r.Verdict, r.Reason, r.Finalist)
		}
		if entered := r.Entries != nil && r.Entries.Used == 1; entered != (after == 1) {
			t.Errorf("%s: entries %+v", name, r.Entries)
		}
		if err := o.Archive.Check(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
