package workspace_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench"
	"evolve/gates/review"
	"evolve/mutate/evidence"
	"evolve/runtime/agent"
)

// TestAlteredProposals checks that an altered archive cannot make an approval write a file
// other than the champion's, or content other than the variant's.
func TestAlteredProposals(t *testing.T) {
	settings := []byte("adoption: {after: touch owned}\n")
	for name, c := range map[string]struct {
		alter   func(*archive.ProposalRecord)
		refusal string
	}{
		"another file": {func(p *archive.ProposalRecord) {
			p.Files = append(p.Files, archive.FileChange{Path: "evolve.yaml", New: settings})
		}, "changes evolve.yaml"},
		"the agent's program": {func(p *archive.ProposalRecord) {
			p.Files = append(p.Files, archive.FileChange{Path: "agents/solver/agent.sh", New: []byte("#!/bin/sh\n")})
		}, "changes agents/solver/agent.sh"},
		"another agent's file": {func(p *archive.ProposalRecord) {
			p.Files[0].Path = "agents/other/config.yaml"
		}, "changes agents/other/config.yaml"},
		"another content": {func(p *archive.ProposalRecord) {
			p.Files[0].New = append([]byte("# harmless\n"), p.Files[0].New...)
		}, "with content that differs from its variant's"},
		"another list": {func(p *archive.ProposalRecord) {
			p.Changes[0].New = "lower"
		}, "lists changes that differ"},
		"approved by its record": {func(p *archive.ProposalRecord) {
			p.State = archive.Approved
			p.Files = append(p.Files, archive.FileChange{Path: "evolve.yaml", New: settings})
		}, "changes evolve.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t, true)
			p := o.propose()
			c.alter(&p)
			if err := o.archive.PutProposal(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			_, err := o.desk().Approve(t.Context(), p.ID, alice)
			refused(t, err, c.refusal)
			if status := o.git("status", "--porcelain"); status != "" || o.git("rev-list", "--count", "HEAD") != "1" {
				t.Errorf("the refused approval changed the repository: %q", status)
			}
		})
	}
}

// TestProposalsStayInside checks that a record with a path outside the workspace cannot be
// stored.
func TestProposalsStayInside(t *testing.T) {
	o := newOffice(t, true)
	p := o.propose()
	outside := filepath.Join(t.TempDir(), "owned")
	for _, path := range []string{"../owned", "../../../../../../../../" + outside, outside, "a/../../owned", ".git/hooks/post-commit", "a/.GIT/x", `a\..\b`, "", ".", "a//b", "a\nb"} {
		q := p
		q.Files = []archive.FileChange{{Path: path, New: []byte("x")}}
		if err := o.archive.PutProposal(t.Context(), q); err == nil {
			t.Errorf("a proposal of %q was stored", path)
		}
	}
}

// TestBound checks that neither the bound fields of a proposal nor its evidence may
// change before its approval.
func TestBound(t *testing.T) {
	for name, c := range map[string]struct {
		alter   func(*archive.ProposalRecord)
		differs string
	}{
		// A later check refuses this proposal: its run has no result, so no claim can be
		// computed again.
		"nothing":                 {func(*archive.ProposalRecord) {}, ""},
		"rejected and back again": {func(p *archive.ProposalRecord) { p.State = archive.HumanLane }, "state"},
		"another verdict":         {func(p *archive.ProposalRecord) { p.Gates[0].Evidence = "looks good" }, "verdicts"},
		"other evidence":          {func(p *archive.ProposalRecord) { p.Evidence = "sha256:0" }, "basis"},
		"another title":           {func(p *archive.ProposalRecord) { p.Title = "harmless" }, "basis"},
		"less evidence":           {func(p *archive.ProposalRecord) { p.Rests = nil }, "basis, a different body of evidence"},
		"approved by its record":  {func(p *archive.ProposalRecord) { p.State = archive.Approved }, "state"},
		"a file's old content": {func(p *archive.ProposalRecord) {
			p.Files[0].Old = append([]byte("# x\n"), p.Files[0].Old...)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t, true)
			p := o.proposeMeasured()
			c.alter(&p)
			if err := o.archive.PutProposal(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			word := alice
			word.OverrideReason = "seen"
			_, err := o.desk().Approve(t.Context(), p.ID, word)
			var bound *archive.BoundError
			if errors.As(err, &bound); name == "nothing" && (bound != nil || !strings.Contains(fmt.Sprint(err), evidence.ErrNoRuling.Error())) {
				t.Errorf("an unaltered proposal is not bound: %v", err)
			}
			if err == nil || c.differs != "" && (bound == nil || !strings.Contains(err.Error(), c.differs)) {
				t.Errorf("approved: %v", err)
			}
			if o.git("rev-list", "--count", "HEAD") != "1" {
				t.Error("the refused approval made a commit")
			}
		})
	}
}

// TestBoundEvidence checks that holdout scores added after the proposal prevent its
// approval.
func TestBoundEvidence(t *testing.T) {
	o := newOffice(t, true)
	p := o.proposeMeasured()
	e := measured(o.variant.ID, 1)
	e.Seq, e.Score = bench.ConfirmSeq+7, 1
	e.Key += "7"
	if err := errors.Join(o.archive.Record(t.Context(), e, nil), o.archive.Flush(t.Context())); err != nil {
		t.Fatal(err)
	}
	_, err := o.desk().Approve(t.Context(), p.ID, alice)
	var bound *archive.BoundError
	if !errors.As(err, &bound) || !slices.Equal(bound.Differs, []string{"body of evidence"}) {
		t.Errorf("approved: %v", err)
	}
}

// measured returns an evaluation from a confirmation.
func measured(variant agent.ConfigID, seq int64) bench.Evaluation {
	return bench.Evaluation{
		Run: "1-a", Agent: "solver", Seq: bench.ConfirmSeq + seq, Key: bench.Key(fmt.Sprintf("%s-%d", variant, seq)), Variant: variant, Task: "t",
		Stage: bench.StageConfirm, Outcome: agent.OK, Scored: true, Score: .5,
	}
}

// proposeMeasured proposes the variant as a nightly run does after measuring it.
func (o *office) proposeMeasured() archive.ProposalRecord {
	o.t.Helper()
	a := o.agent()
	ctx := o.t.Context()
	err := errors.Join(
		o.archive.Record(ctx, measured(o.variant.ID, 0), nil), o.archive.Record(ctx, measured(a.Champion.ID(), 1), nil),
		o.archive.Record(ctx, measured("other", 2), nil),
	)
	p, proposed := o.desk().ProposeConfig(ctx, a.ID, review.Draft{
		Run: "1-a", Variant: o.variant, Evidence: "sha256:1", Rests: &archive.Rests{Runs: []string{"1-a"}, Against: a.Champion.ID()},
	})
	if err := errors.Join(err, proposed); err != nil {
		o.t.Fatal(err)
	}
	return p
}
