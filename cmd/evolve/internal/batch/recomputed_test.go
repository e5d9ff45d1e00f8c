package batch

import (
	"errors"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/mutate/evidence"
)

// TestTheClaimIsComputedAgain checks that a night's own rulings follow from its
// evaluations, and that any altered ruling is found, even if the ledger, the digest and
// the proposal match it.
func TestTheClaimIsComputedAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := archive.OpenMemory()
	t.Cleanup(func() { _ = a.Close() })
	w := toyWorkspace(t, 60)
	result, err := Run(ctx, toyOptions(w, a, toyAgent(60), 600))
	if err != nil {
		t.Fatal(err)
	}
	honest, err := a.Result(ctx, result.Run.ID, "toy")
	if err != nil || honest.Winner == "" {
		t.Fatalf("the night proposes nothing: %v, %s", err, honest.Reason)
	}
	plan, err := a.Plan(ctx, result.Run.ID, "toy")
	if err != nil {
		t.Fatal(err)
	}
	// claim stores a changed result together with a proposal that is consistent with the
	// changed result.
	claim := func(change func(r *archive.AgentResult, f *archive.Finalist)) (archive.AgentResult, archive.ProposalRecord) {
		r := honest
		r.Finalist = append([]archive.Finalist{}, honest.Finalist...)
		grounds := *honest.Grounds
		grounds.Tasks = append([]archive.GroundTask{}, grounds.Tasks...)
		r.Grounds = &grounds
		at := 0
		for i := range r.Finalist {
			ruling, judged := *r.Finalist[i].Ruling, *r.Finalist[i].Judged
			r.Finalist[i].Ruling, r.Finalist[i].Judged = &ruling, &judged
			if r.Finalist[i].Variant == r.Winner {
				at = i
			}
		}
		f := &r.Finalist[at]
		change(&r, f)
		if err := a.PutResult(ctx, r); err != nil {
			t.Fatal(err)
		}
		digest, err := evidence.Digest(plan, r.Grounds, *f)
		if err != nil {
			t.Fatal(err)
		}
		return r, archive.ProposalRecord{
			ID: "P1", Kind: archive.KindConfig, State: archive.Awaiting, Agent: "toy", Run: r.Run, Variant: f.Variant,
			Rationale: r.Reason, Evidence: digest, Rests: &archive.Rests{Runs: f.Runs, Against: plan.Reference()},
		}
	}
	check := func(p archive.ProposalRecord) error { return evidence.Proposal(ctx, a, p, w.Rules(&w.Agents[0])) }

	r, p := claim(func(*archive.AgentResult, *archive.Finalist) {})
	if c, err := evidence.Check(ctx, a, r); err != nil || c.Recomputed != len(r.Finalist) || c.Unstored+c.Gone > 0 {
		t.Fatalf("the night's own result: %+v, %v", c, err)
	}
	if err := check(p); err != nil {
		t.Fatalf("the night's own proposal: %v", err)
	}

	for name, c := range map[string]struct {
		change func(r *archive.AgentResult, f *archive.Finalist)
		says   string
	}{
		"a difference":   {func(_ *archive.AgentResult, f *archive.Finalist) { f.Ruling.Difference += .01 }, "difference"},
		"a bound":        {func(_ *archive.AgentResult, f *archive.Finalist) { f.Ruling.NewLower += .01 }, "new_lower"},
		"a reason":       {func(_ *archive.AgentResult, f *archive.Finalist) { f.Reason = "it is splendid" }, "its stored reason, acceptance or comparison"},
		"a comparison":   {func(_ *archive.AgentResult, f *archive.Finalist) { f.Comparison.MeanB++ }, "its stored reason, acceptance or comparison"},
		"a sentence":     {func(r *archive.AgentResult, _ *archive.Finalist) { r.Reason = "it is splendid" }, "the sentence"},
		"a verdict":      {func(r *archive.AgentResult, _ *archive.Finalist) { r.Verdict = archive.Trade }, "verdict"},
		"a level":        {func(_ *archive.AgentResult, f *archive.Finalist) { f.Judged.Alpha *= 2 }, "threshold"},
		"more blocks":    {func(_ *archive.AgentResult, f *archive.Finalist) { f.Judged.Blocks++ }, "complete blocks"},
		"fewer tasks":    {func(r *archive.AgentResult, _ *archive.Finalist) { r.Grounds.Tasks = r.Grounds.Tasks[1:] }, "computed from the stored evaluations"},
		"another weight": {func(r *archive.AgentResult, _ *archive.Finalist) { r.Grounds.Tasks[0].Weight = 9 }, ""},
		"a proof": {func(_ *archive.AgentResult, f *archive.Finalist) {
			proof := *f.Ruling.Proof
			proof.Blocks = 0
			f.Ruling.Proof = &proof
		}, "no stored interim analysis reproduces"},
	} {
		_, p := claim(c.change)
		if err := check(p); !errors.Is(err, archive.ErrCorrupt) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}

	// Proposals that do not match their results must be found.
	_, p = claim(func(*archive.AgentResult, *archive.Finalist) {})
	for name, change := range map[string]func(p *archive.ProposalRecord){
		"without its evaluations": func(p *archive.ProposalRecord) { p.Rests = nil },
		"with another digest":     func(p *archive.ProposalRecord) { p.Evidence = "sha256:1" },
		"with another rationale":  func(p *archive.ProposalRecord) { p.Rationale = "it is splendid" },
	} {
		q := p
		change(&q)
		if err := check(q); !errors.Is(err, archive.ErrCorrupt) {
			t.Errorf("a proposal %s: %v", name, err)
		}
	}

	// A result that was stored without its grounds is judged by the workspace and the
	// result's entry.
	old := func(r *archive.AgentResult) {
		r.Grounds = nil
		for i := range r.Finalist {
			r.Finalist[i].Judged = nil
		}
	}
	r, p = claim(func(r *archive.AgentResult, _ *archive.Finalist) { old(r) })
	if c, err := evidence.Check(ctx, a, r); err != nil || c.Unstored != len(r.Finalist) {
		t.Errorf("an older result: %+v, %v", c, err)
	}
	if err := check(p); err != nil {
		t.Errorf("an older proposal: %v", err)
	}
	_, p = claim(func(r *archive.AgentResult, f *archive.Finalist) { old(r); f.Ruling.Difference += .01 })
	if err := check(p); !errors.Is(err, archive.ErrCorrupt) {
		t.Errorf("an older proposal with another difference: %v", err)
	}

	// A level stricter than the one used for the measurement leaves nothing proven.
	_, p = claim(func(*archive.AgentResult, *archive.Finalist) {})
	w.Settings.Confirm.Level /= 1e12
	if err := check(p); !errors.As(err, new(*evidence.Shifted)) {
		t.Errorf("under another level: %v", err)
	}
}
