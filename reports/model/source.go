package model

import (
	"context"
	"iter"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate/evidence"
	"evolve/runtime/agent"
)

// Source is the data source for a report: an archive, or a reader for the archive of a
// running process.
type Source interface {
	Run(ctx context.Context, name string) (archive.Run, error)
	Paid(ctx context.Context, r archive.Run) (usd float64, known bool, err error)
	Runs(ctx context.Context) iter.Seq2[archive.Run, error]
	Plan(ctx context.Context, run, agentID string) (archive.AgentPlan, error)
	Result(ctx context.Context, run, agentID string) (archive.AgentResult, error)
	Evaluations(ctx context.Context, run, agentID string) iter.Seq2[bench.Evaluation, error]
	EvaluationsIn(ctx context.Context, run, agentID string, stage bench.Stage) iter.Seq2[bench.Evaluation, error]
	Transcript(ctx context.Context, key bench.Key) (agent.Transcript, error)
	Question(ctx context.Context, suiteHash, task string) (archive.Question, error)
	Variant(ctx context.Context, agentID string, id agent.ConfigID) (archive.Variant, error)
	Proposal(ctx context.Context, id string) (archive.ProposalRecord, error)
	Proposals(ctx context.Context) iter.Seq2[archive.ProposalRecord, error]
	Candidates(ctx context.Context, agentID string) iter.Seq2[archive.Candidate, error]
	Exposures(ctx context.Context, agentID string) iter.Seq2[archive.Exposure, error]
	VerifyLedger(ctx context.Context) (n int64, head string, err error)
}

// Rechecker is a Source that can compute the rulings of a result again from the stored
// evaluations. If the evaluations contradict a result, the result is shown without a
// verdict.
type Rechecker interface {
	// Recheck computes the rulings again. It fails with archive.ErrCorrupt if the stored
	// evaluations do not lead to the rulings or the verdict of the result.
	Recheck(ctx context.Context, r archive.AgentResult) (evidence.Checked, error)
}

// Mover is a Source that can compare the inputs of a waiting config with the present
// workspace. With any other Source, a report shows the changes that the latest plan
// recorded.
type Mover interface {
	// MovedSince lists what has changed since the config in a proposal was measured. known
	// is false if the proposal does not await a decision on a config, or if the workspace
	// cannot be loaded.
	MovedSince(ctx context.Context, id string) (moved []string, known bool, err error)
}

// MovedSince calls the source's [Mover.MovedSince]. If the source is not a Mover, known is
// false.
func MovedSince(ctx context.Context, src Source, id string) (moved []string, known bool, err error) {
	if m, ok := src.(Mover); ok {
		return m.MovedSince(ctx, id)
	}
	return nil, false, nil
}

var _ Source = (*archive.Archive)(nil)
