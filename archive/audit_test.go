package archive

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"evolve/bench"
)

// TestAudit checks that changes made without a ledger entry are found, and that the error
// names the first such change.
func TestAudit(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	record := func(t *testing.T, b *batch, p ProposalRecord) {
		t.Helper()
		if err := putDocument(b, proposalKey(1), p); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		edit func(t *testing.T, b *batch, p ProposalRecord, e bench.Evaluation) []key
		want string
		gone int
	}{
		"nothing": {func(*testing.T, *batch, ProposalRecord, bench.Evaluation) []key { return nil }, "", 0},
		"a holdout score was inverted": {func(_ *testing.T, b *batch, _ ProposalRecord, e bench.Evaluation) []key {
			e.Score = 1 - e.Score
			b.put(evaluationKey(e.Run, e.Agent, e.Seq), encodeEvaluation(&e, nil))
			return nil
		}, "P1 does not match the ledger, which records a different body of evidence", 0},
		"the evaluations were removed": {func(_ *testing.T, _ *batch, _ ProposalRecord, e bench.Evaluation) []key {
			return []key{evaluationKey(e.Run, e.Agent, e.Seq), contentKey(tableKey, e.Key)}
		}, "P1 does not match the ledger, which records a different body of evidence", 0},
		"a retention removed the evaluations": {func(t *testing.T, b *batch, _ ProposalRecord, e bench.Evaluation) []key {
			if err := putRun(b, Run{ID: "1-a", Number: 1, Removed: &RunRemoved{Evaluations: 1}}); err != nil {
				t.Fatal(err)
			}
			return []key{evaluationKey(e.Run, e.Agent, e.Seq), contentKey(tableKey, e.Key)}
		}, "", 1},
		"a rejected one awaits": {func(t *testing.T, b *batch, p ProposalRecord, _ bench.Evaluation) []key {
			p.State = Awaiting
			record(t, b, p)
			return nil
		}, "P1 does not match the ledger, which records a different state", 0},
		"another decided": {func(t *testing.T, b *batch, p ProposalRecord, _ bench.Evaluation) []key {
			d := *p.Decision
			d.By = "Mallory"
			p.Decision = &d
			record(t, b, p)
			return nil
		}, "P1: the ledger has no entry for its decision: reject by Mallory", 0},
		"another decision": {func(t *testing.T, b *batch, p ProposalRecord, _ bench.Evaluation) []key {
			if err := putDocument(b, decisionKey(2), DecisionRecord{Proposal: "P1", Action: "reject", By: "Mallory", Time: day}); err != nil {
				t.Fatal(err)
			}
			return nil
		}, "P1: the decision differs from the one in ledger entry 2", 0},
		"it is missing": {func(*testing.T, *batch, ProposalRecord, bench.Evaluation) []key {
			return []key{proposalKey(1)}
		}, "P1: the ledger records it, but the archive does not have it", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "archive")
			a := openAt(t, dir)
			e := evaluation("1-a", bench.ConfirmSeq)
			e.Stage, e.Variant, e.Transcript = bench.StageConfirm, "v", nil
			err := errors.Join(a.PutRun(ctx, Run{ID: "1-a", Number: 1}), a.Record(ctx, e, nil), a.Flush(ctx))
			p := must(a.NewProposal(ctx, ProposalRecord{
				Kind: KindConfig, State: Drafted, Agent: e.Agent, Variant: "v", Rests: &Rests{Runs: []string{"1-a"}, Against: "c"},
			}))(t)
			p.State = Awaiting
			must(a.SettleProposal(ctx, p, LedgerEntry{Time: day, Kind: "proposal.create", Subject: p.ID}))(t)
			p.State, p.Decision = Rejected, &DecisionBrief{Action: "reject", By: "Ada", Time: day}
			err = errors.Join(err, a.Decide(ctx, DecisionRecord{Proposal: p.ID, Action: "reject", By: "Ada", Time: day}, p))
			if err := errors.Join(err, a.Close()); err != nil {
				t.Fatal(err)
			}
			behind(t, dir, func(_ *Archive, b *batch) []key { return c.edit(t, b, p, e) })
			r := must(Inspect(dir))(t)
			closing(t, r)
			got, err := r.Audit(ctx)
			if c.want == "" {
				if err != nil || got.Entries != 2 || got.Gone != c.gone || got.Proposals != 1 {
					t.Errorf("%+v %v", got, err)
				}
				return
			}
			if !errors.Is(err, ErrCorrupt) || err.Error() != c.want {
				t.Errorf("%v", err)
			}
		})
	}
}
