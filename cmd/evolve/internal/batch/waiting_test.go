package batch

import (
	"fmt"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/mutate/night"
	"evolve/runtime/agent"
)

// versions returns the runner of a night over an archive with the given proposals. The
// proposals are for versions of searched code and were made by runs on the same state of
// the code.
func versions(t *testing.T, list ...archive.ProposalRecord) (*runner, *workspace.Agent) {
	t.Helper()
	a := archive.OpenMemory()
	for i, p := range list {
		run := fmt.Sprintf("%d-x", i+1)
		p.Kind, p.Run = archive.KindPatch, run
		p.Patch = &archive.PatchBrief{Target: "curve", Origin: review.OriginBlocks, Variant: agent.ConfigID(fmt.Sprintf("v%d", i+1))}
		if _, err := a.NewProposal(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		hash := "now"
		if p.Title == "stale" {
			hash = "before"
		}
		if err := a.PutPlan(t.Context(), archive.AgentPlan{Run: run, Agent: "curve", AgentHash: hash}); err != nil {
			t.Fatal(err)
		}
	}
	return &runner{o: Options{Env: night.Env{Archive: a}}}, &workspace.Agent{ID: "curve", Hash: "now"}
}

func words(list []archive.Waiting) string {
	var out []string
	for _, w := range list {
		out = append(out, fmt.Sprintf("%s %s %v %v", w.Proposal, w.Variant, w.Drafted, w.Stale))
	}
	return strings.Join(out, ", ")
}

// TestDraftsOfVersionsWait checks that nights are measured against a version that waits
// for its gates, just as they are measured against a version that awaits a person. A
// version that was imported, or that the run itself made, does not count.
func TestDraftsOfVersionsWait(t *testing.T) {
	r, a := versions(t,
		archive.ProposalRecord{State: archive.Awaiting}, archive.ProposalRecord{State: archive.Drafted}, archive.ProposalRecord{State: archive.Drafted, Title: "stale"},
		archive.ProposalRecord{State: archive.Drafted, Imported: archive.Awaiting}, archive.ProposalRecord{State: archive.GateFailed}, archive.ProposalRecord{State: archive.Drafted},
	)
	list, err := r.waits(t.Context(), a, "6-x")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := words(list), "P1 v1 false [], P2 v2 true [], P3 v3 true [code]"; got != want {
		t.Errorf("what waits is %s, want %s", got, want)
	}
}

// TestDraftGatedByAnInterruptedRun checks that an interrupted run continues with its
// earlier plan, even if the run has already passed the draft through the gates, and that
// a person's decision changes the plan.
func TestDraftGatedByAnInterruptedRun(t *testing.T) {
	for state, want := range map[archive.ProposalState]string{
		archive.Drafted: "P1 v1 true []", archive.HumanLane: "P1 v1 true []", archive.GateFailed: "P1 v1 true []", archive.Superseded: "P1 v1 true []",
		archive.Rejected: "", archive.Adopted: "",
	} {
		r, a := versions(t, archive.ProposalRecord{State: archive.Drafted})
		plan := archive.AgentPlan{Run: "2-x", Agent: "curve", AgentHash: "now", Waits: []archive.Waiting{{Proposal: "P1", Variant: "v1", Drafted: true}}, Against: "v1"}
		if err := r.o.Archive.PutPlan(t.Context(), plan); err != nil {
			t.Fatal(err)
		}
		p, err := r.o.Archive.Proposal(t.Context(), "P1")
		if err != nil {
			t.Fatal(err)
		}
		p.State = state
		if err := r.o.Archive.PutProposal(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		list, err := r.plannedWaits(t.Context(), a, "2-x")
		if got := words(list); err != nil || got != want {
			t.Errorf("%s: what waited is %q, want %q, %v", state, got, want, err)
		}
	}
}

// TestNotesOfDrafts checks that a night reports what became of a version that had waited,
// and that this report replaces the night's earlier report about the version.
func TestNotesOfDrafts(t *testing.T) {
	p := archive.ProposalRecord{ID: "P1", State: archive.Drafted, Patch: &archive.PatchBrief{Target: "curve", Origin: review.OriginBlocks, Waits: "the limit"}}
	note := func(r *runner, p archive.ProposalRecord) string {
		r.noteResumed(p)
		var out []string
		for _, n := range r.run.Patches {
			out = append(out, fmt.Sprintf("%s %s: %s", n.Proposal, n.State, n.Text))
		}
		return strings.Join(out, "|")
	}
	r := &runner{}
	if got, want := note(r, p), "P1 drafted: P1 waits for its gates: the limit; the next run resumes it"; got != want {
		t.Errorf("%s", got)
	}
	r.run.Patches = []archive.PatchNote{{Proposal: "P1", State: archive.Drafted, Text: "told tonight"}}
	if got := note(r, p); got != "P1 drafted: told tonight" {
		t.Errorf("%s", got)
	}
	p.State, p.Gates = archive.GateFailed, []archive.GateVerdict{{Gate: "scope", Verdict: "passed"}, {Gate: "apply", Verdict: "failed", Evidence: "it moved"}}
	if got := note(r, p); got != "P1 failed: the proposal had been waiting for its gates; apply: it moved" {
		t.Errorf("%s", got)
	}
	p.State, p.Gates = archive.HumanLane, nil
	if got := note(r, p); got != "P1 human_lane: the proposal had been waiting for its gates, and they have now run" {
		t.Errorf("%s", got)
	}
	p.ID, p.Patch.Origin = "P2", review.OriginPerson
	if got := note(r, p); strings.Contains(got, "P2") {
		t.Errorf("a person's patch is told: %s", got)
	}
}
