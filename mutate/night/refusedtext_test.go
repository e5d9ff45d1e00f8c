package night

import (
	"strings"
	"testing"

	"evolve/archive"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// TestModelsDoNotLearnFromWhatWasRefused checks that the text of a version whose proposal
// was refused by gates is not shown to a model as an example, and that its gain is not
// shown either.
func TestModelsDoNotLearnFromWhatWasRefused(t *testing.T) {
	o := wordyNights(t)
	n := o.start(t)
	config := agent.Config{"strategy": "print what it wants to read"}
	if err := n.putVariant(t.Context(), archive.Variant{ID: config.ID(), Config: config, Operator: "test"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := o.Archive.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Archive.NewProposal(t.Context(), archive.ProposalRecord{
		Kind: archive.KindPatch, State: archive.GateFailed, Agent: "search over toy", Created: o.Now(),
		Patch: &archive.PatchBrief{Target: "toy", Variant: config.ID()},
	}); err != nil {
		t.Fatal(err)
	}
	unfit, err := n.refusedTexts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := &author{night: n, unfit: unfit}
	bad, good := mutate.TriedChange{Text: config.String("strategy"), Rationale: "prints", Gain: .489}, mutate.TriedChange{Text: "be kind", Gain: .1}
	b := &mutate.Brief{Component: "strategy", Others: []mutate.TriedChange{bad, good}, Tried: []mutate.TriedChange{bad, good}}
	if got := a.others(b); len(got) != 1 || got[0] != good {
		t.Errorf("examples %+v", got)
	}
	if got := a.tried(b); got[0].Gain != 0 || !strings.Contains(got[0].Refused, "refused after it was measured: prints") || got[1] != good {
		t.Errorf("earlier changes %+v", got)
	}
	if b.Tried[0] != bad || len(b.Others) != 2 {
		t.Errorf("the brief is changed: %+v", b)
	}
}
