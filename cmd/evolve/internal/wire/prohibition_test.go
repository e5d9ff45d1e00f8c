package wire

import (
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/runtime/experience"
)

// TestProhibitionHoldsWhileItWaits tests a prohibition that a person sets while a run
// holds the archive. The prohibition must apply to turns at once, and the next command
// must record it once.
func TestProhibitionHoldsWhileItWaits(t *testing.T) {
	log := &strings.Builder{}
	h, root := spoolHost(t, log)
	f := experience.Feedback{
		Verdict: experience.Negative, Action: experience.Constrain, Tool: "calculate", Importance: .9, By: "Kim Lee",
		Time: time.Date(2026, 11, 24, 2, 0, 0, 5, time.UTC),
	}
	if err := KeepProhibition(root, "clerk", f); err != nil {
		t.Fatal(err)
	}
	forbidden := func(agentID string) string {
		t.Helper()
		waiting, err := ReadLowerings(root)
		if err != nil {
			t.Fatal(err)
		}
		var e experience.Experience
		if err := waiting.Forbid(agentID, &e); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, f := range e.Feedback {
			all = append(all, f.ID+" "+f.Wish())
		}
		return strings.Join(all, ", ")
	}
	if got := forbidden("clerk") + "; " + forbidden("other"); got != "F1 never calculate; " {
		t.Errorf("while it waits: %s", got)
	}
	for range 2 { // a process that was killed before it removed the file has recorded it
		a, err := h.OpenArchive(root, "test")
		if err != nil {
			t.Fatal(err)
		}
		e, err := a.Experience(t.Context(), "clerk")
		if err != nil || len(e.Feedback) != 1 || e.Feedback[0].ID != "F1" || e.Feedback[0].By != "Kim Lee" {
			t.Errorf("%v %+v", err, e.Feedback)
		}
		entries := 0
		for x, err := range a.Ledger(t.Context(), 1) {
			if err != nil {
				t.Fatal(err)
			}
			if x.Kind == "feedback.add" && x.Subject == "clerk" && x.Actor == "Kim Lee" && x.Time.Equal(f.Time) {
				entries++
			}
		}
		if entries != 1 {
			t.Errorf("the ledger has %d entries of it", entries)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if got := forbidden("clerk"); got != "" {
			t.Errorf("it waits on: %s", got)
		}
		if err := KeepProhibition(root, "clerk", f); err != nil {
			t.Fatal(err)
		}
	}
	lifted := f
	lifted.Action, lifted.Verdict = experience.Boost, experience.Positive
	if (lowering{Agent: "clerk", Forbids: &lifted}).sound() || (lowering{Agent: "clerk", Change: archive.LevelChange{}}).sound() {
		t.Error("what forbids nothing may wait")
	}
}
