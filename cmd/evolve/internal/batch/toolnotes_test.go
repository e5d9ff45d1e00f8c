package batch

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// useTool stores a turn of the agent toy with the given calls.
func useTool(t testing.TB, store *archive.Archive, at time.Time, calls ...experience.Call) {
	t.Helper()
	turn := &experience.Turn{Domain: "north", Outcome: agent.OK, Time: at, Calls: calls}
	if _, err := store.PutTurn(t.Context(), archive.TurnRecord{Agent: "toy", Outcome: agent.OK, Created: at}, nil, turn); err != nil {
		t.Fatal(err)
	}
}

// TestARunKeepsWhatIsKnownOfTools tests that the record of a run contains the advice on
// each tool with its evidence, as it was at the start, and contains nothing if no live turn
// has called a tool.
func TestARunKeepsWhatIsKnownOfTools(t *testing.T) {
	w, store := toyWorkspace(t, 40), diskArchive(t)
	night := func() archive.Run {
		s, err := Run(t.Context(), toyOptions(w, store, toyAgent(40), 100))
		if err != nil {
			t.Fatal(err)
		}
		return s.Run
	}
	if run := night(); run.Tools != nil {
		t.Errorf("without turns: %+v", run.Tools)
	}
	day := time.Date(2026, 11, 14, 2, 0, 0, 0, time.UTC)
	for i := range 6 {
		useTool(t, store, day.AddDate(0, 0, i),
			experience.Call{Tool: "convert", Origin: "authored", Outcome: agent.WrongToolBoundary, Axes: []string{[]string{"currency", "calendar"}[i%2]}, Cause: "asks for rates"},
			experience.Call{Tool: "convert", Origin: "authored", Outcome: agent.Execution, Cause: fmt.Sprintf("no unit %q", fmt.Sprint("u", i))},
			experience.Call{Tool: "grep", Origin: "local", Outcome: agent.OK}, experience.Call{Tool: "grep", Origin: "local", Outcome: agent.OK},
			experience.Call{Tool: "shop", Origin: "mcp:shop", Outcome: agent.LowUtility},
		)
	}
	run := night()
	stored, err := store.Run(t.Context(), run.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(run.Tools, stored.Tools, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("stored: %s", diff)
	}
	type short struct {
		tool, origin       string
		remedy             experience.Remedy
		adaptive           bool
		groups, signatures int
	}
	var got []short
	for _, n := range stored.Tools {
		groups := 0
		for _, c := range n.Clusters {
			if c.Group {
				groups++
			}
			if c.Cause != "" {
				t.Errorf("a note has the text of a conversation: %q", c.Cause)
			}
		}
		got = append(got, short{n.Tool, n.Origin, n.Remedy, n.Adaptive, groups, len(n.Signatures)})
	}
	want := []short{{"convert", "authored", experience.Split, false, 2, 1}, {"grep", "local", experience.Retain, false, 0, 0}, {"shop", "mcp:shop", experience.Recompose, true, 0, 1}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(short{})); diff != "" {
		t.Error(diff)
	}
	if s := stored.Tools[0].Signatures[0]; s.Count != 6 || s.Message != `no unit "…"` || !s.First.Equal(day) || !s.Last.Equal(day.AddDate(0, 0, 5)) {
		t.Errorf("%+v", s)
	}
}

// TestNotesOnToolsAreBounded tests that if there are more tools than notes, the notes
// still include the tools to be changed.
func TestNotesOnToolsAreBounded(t *testing.T) {
	store := archive.OpenMemory()
	for i := range 2 * notedTools {
		useTool(t, store, time.Unix(int64(i), 0), experience.Call{Tool: fmt.Sprintf("t%03d", i), Outcome: agent.OK})
	}
	for range 3 {
		useTool(t, store, time.Unix(1000, 0), experience.Call{Tool: "weak", Outcome: agent.LowUtility})
	}
	notes, err := toolNotes(t.Context(), store, "toy")
	if err != nil || len(notes) != notedTools || notes[notedTools-1].Tool != "weak" {
		t.Errorf("%d notes, %v", len(notes), err)
	}
}

// TestARunKeepsHowToolsFailedItsChampion tests that failures in the champion's evaluations
// of search tasks are recorded beside those in live turns, and that failures on holdout
// tasks are not recorded.
func TestARunKeepsHowToolsFailedItsChampion(t *testing.T) {
	w, store := toyWorkspace(t, 40), archive.OpenMemory()
	useTool(t, store, time.Unix(1, 0), experience.Call{Tool: "convert", Outcome: agent.OK})
	champion := w.Agents[0].Champion.ID()
	run := inProcess(func(ctx context.Context, req agent.Request) agent.Result {
		res := toyAgent(40)(ctx, req)
		cause := fmt.Sprintf("no unit %q", req.Task.ID)
		if req.Config.ID() != champion {
			cause = "another config"
		}
		res.Transcript.Events = append(res.Transcript.Events, agent.Event{Kind: agent.EventTool, Name: "convert", Origin: "authored", Outcome: agent.Execution, Text: cause})
		return res
	})
	s, err := Run(t.Context(), toyOptions(w, store, run, 300))
	if err != nil {
		t.Fatal(err)
	}
	made, err := store.Run(t.Context(), s.Run.ID)
	if err != nil || len(made.Tools) != 1 {
		t.Fatalf("%+v, %v", made.Tools, err)
	}
	want := 0
	for e, err := range store.Evaluations(t.Context(), s.Run.ID, "toy") {
		if err != nil {
			t.Fatal(err)
		}
		if e.Variant == champion && e.Split == bench.Search {
			want++
		}
	}
	got := 0
	for _, f := range made.Tools[0].Champion {
		if got += f.Count; f.Message != `no unit "…"` || f.Outcome != agent.Execution {
			t.Errorf("%+v", f)
		}
	}
	if got != want || want < 2 || made.Tools[0].Signatures != nil {
		t.Errorf("%d failures of %d evaluations, in use %+v", got, want, made.Tools[0].Signatures)
	}
}
