package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/gates/review"
)

// TestStatusOfCodeHasCases checks that the status and the report use the word "cases" for
// a target whose code is searched, even in sentences that were recorded about tasks.
func TestStatusOfCodeHasCases(t *testing.T) {
	n := newCodeNights(t)
	n.inArchive(func(a *archive.Archive) error {
		run, err := a.Run(t.Context(), "")
		if err != nil {
			return err
		}
		r, err := a.Result(t.Context(), run.ID, "curve")
		if err != nil {
			return err
		}
		r.Reason = "nothing is shown of new tasks: 4 points more than the champion on tasks it was never tuned on"
		r.Causes = []stats.Cause{{Kind: stats.CauseNothing, Sentence: r.Reason}}
		return a.PutResult(t.Context(), r)
	})
	for name, got := range map[string]string{"the status": n.evolve("status"), "the report": strings.Join(strings.Fields(n.evolve("report")), " ")} {
		if !strings.Contains(got, "nothing is shown of new cases: 4 points more than the champion on cases it was never tuned on") || strings.Contains(got, "tasks") {
			t.Errorf("%s has\n%s", name, got)
		}
	}
}

// TestRunThatDiedHasNoExitCode checks that neither the status nor the report shows an
// exit code for a run whose process died, and that both show the code of a run that a
// person interrupted.
func TestRunThatDiedHasNoExitCode(t *testing.T) {
	n := newCodeNights(t)
	end := func(state archive.RunState, ended time.Time) {
		t.Helper()
		n.inArchive(func(a *archive.Archive) error {
			run, err := a.Run(t.Context(), "")
			if err != nil {
				return err
			}
			run.State, run.Ended, run.Exit = state, ended, 0
			if state == archive.RunInterrupted {
				run.Exit = 130
			}
			return a.PutRun(t.Context(), run)
		})
	}
	end(archive.RunRunning, time.Time{})
	for name, got := range map[string]string{"the status": n.evolve("status"), "the report": n.evolve("report")} {
		if !strings.Contains(got, "its process died") || strings.Contains(got, "130") {
			t.Errorf("%s of a run that died has\n%s", name, got)
		}
	}
	end(archive.RunInterrupted, time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC))
	n.has("the status", n.evolve("status"), "interrupted (exit 130)\n")
	n.has("the report", n.evolve("report"), "interrupted, exit 130")
}

// TestNotesOnPatches checks that a long note ends with a whole clause and with the command
// that shows the rest, and that a short note stays unchanged.
func TestNotesOnPatches(t *testing.T) {
	print := func(note archive.PatchNote) string {
		var out bytes.Buffer
		printPatchNotes(&console{stdout: &out}, []archive.PatchNote{note})
		return out.String()
	}
	note := archive.PatchNote{Target: "curve", Origin: review.OriginBlocks, Proposal: "P1", State: archive.HumanLane, Text: "it is better\nby 3"}
	if got := print(note); got != "  patch   P1 (flagged) of curve by search over curve: it is better by 3\n" {
		t.Errorf("a short note is %q", got)
	}
	note.Text = strings.Repeat("it is better by 3; ", 30)
	if got := print(note); !strings.HasSuffix(got, "it is better by 3; … (`evolve show P1` shows the rest)\n") || len(got) > 500 {
		t.Errorf("a long note is %q", got)
	}
}
