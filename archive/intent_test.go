package archive

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestIntents checks that an intent is stored atomically with its decision, and is listed
// until it is done.
func TestIntents(t *testing.T) {
	ctx := t.Context()
	a := OpenMemory()
	p, err := a.NewProposal(ctx, ProposalRecord{Kind: KindConfig, State: Awaiting, Agent: "solver"})
	if err != nil {
		t.Fatal(err)
	}
	left := func() (out []Intent) {
		for in, err := range a.Unfinished(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, in)
		}
		return out
	}
	in := Intent{Proposal: p.ID, Action: "approve", Stage: IntentCommit, By: "Robin", Time: day}
	d := DecisionRecord{Proposal: p.ID, Action: "approve", By: "Robin", Time: day}
	p.State = Approved
	bad := in
	bad.Stage = "later"
	if err := a.Decide(ctx, d, p, bad); err == nil {
		t.Fatal("an intent at no stage was stored")
	}
	if n, _, _ := a.LedgerHead(ctx); n != 0 {
		t.Error("half of a decision was stored")
	}
	if err := a.Decide(ctx, d, p, in); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Intent{in}, left()); diff != "" {
		t.Error(diff)
	}
	in.Stage, in.Commit = IntentAfter, "c"
	p.State = Adopted
	if _, err := a.SettleProposal(ctx, p, LedgerEntry{Kind: "proposal.adopted", Subject: p.ID, Time: day}, in); err != nil {
		t.Fatal(err)
	}
	in.Attempts++
	if err := a.PutIntent(ctx, in); err != nil {
		t.Fatal(err)
	}
	if got, err := a.Intent(ctx, "p1"); err != nil || cmp.Diff(in, got) != "" {
		t.Errorf("%+v %v", got, err)
	}
	in.Stage = IntentDone
	if _, err := a.AppendWith(ctx, LedgerEntry{Kind: "adoption.after", Subject: p.ID, Time: day}, in); err != nil || len(left()) != 0 {
		t.Errorf("%v %v", left(), err)
	}
	if err := a.Check(ctx); err != nil {
		t.Error(err)
	}
}
