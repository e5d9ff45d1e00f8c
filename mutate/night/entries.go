package night

import (
	"context"
	"fmt"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/confirm"
)

// records stores the entries into the confirmation and the openings of the holdout in the
// archive.
type records struct{ *night }

// Entries returns all entries that the agent ever had.
func (s *records) Entries(ctx context.Context) ([]confirm.Entry, error) {
	return entriesOf(ctx, s.Archive, s.Agent.ID)
}

func entriesOf(ctx context.Context, a *archive.Archive, agentID string) ([]confirm.Entry, error) {
	var out []confirm.Entry
	for c, err := range a.Candidates(ctx, agentID) {
		if err != nil {
			return nil, fmt.Errorf("%w: reading the candidates: %w", bench.ErrRecorder, err)
		}
		out = append(out, entry(c))
	}
	return out, nil
}

// Enter opens an entry.
func (s *records) Enter(ctx context.Context, e confirm.Entry) (confirm.Entry, error) {
	c, err := s.Archive.EnterCandidate(ctx, candidate(s.Agent.ID, e))
	if err != nil {
		return e, fmt.Errorf("%w: entering a candidate: %w", bench.ErrRecorder, err)
	}
	return entry(c), nil
}

// Put stores the state of an entry.
func (s *records) Put(ctx context.Context, e confirm.Entry) error {
	if err := s.Archive.PutCandidate(ctx, candidate(s.Agent.ID, e), s.Now()); err != nil {
		return fmt.Errorf("%w: storing a candidate: %w", bench.ErrRecorder, err)
	}
	return nil
}

// entry converts a candidate of the archive to an entry.
func entry(c archive.Candidate) confirm.Entry {
	return confirm.Entry{
		Number: c.Number, Variant: c.Variant, Champion: c.Champion, Run: c.Run, Time: c.Time, Holds: c.Holds,
		Alpha: c.Alpha, Projected: c.Projected, Gain: c.Gain, SD: c.SD, Runs: c.Runs,
		State: c.State, Void: c.Void, Blocks: c.Blocks, LogE: c.LogE, Reason: c.Reason, Proof: c.Proof, Ledger: c.Ledger,
	}
}

// candidate converts an entry to a candidate of the archive.
func candidate(agentID string, e confirm.Entry) archive.Candidate {
	return archive.Candidate{
		Agent: agentID, Number: e.Number, Variant: e.Variant, Champion: e.Champion, Run: e.Run, Time: e.Time, Holds: e.Holds,
		Alpha: e.Alpha, Projected: e.Projected, Gain: e.Gain, SD: e.SD, Runs: e.Runs,
		State: e.State, Void: e.Void, Blocks: e.Blocks, LogE: e.LogE, Reason: e.Reason, Proof: e.Proof, Ledger: e.Ledger,
	}
}

// Exposures returns those of the agent, in order.
func (s *records) Exposures(ctx context.Context) ([]confirm.Exposure, error) {
	var out []confirm.Exposure
	for e, err := range s.Archive.Exposures(ctx, s.Agent.ID) {
		if err != nil {
			return nil, fmt.Errorf("reading the holdout's ledger: %w", err)
		}
		out = append(out, confirm.Exposure{Run: e.Run, Variants: e.Variants, First: e.FirstRepeat, Repeats: e.Repeats})
	}
	return out, nil
}

// Expose records an opening before it happens.
func (s *records) Expose(ctx context.Context, e confirm.Exposure) error {
	err := s.Archive.Expose(ctx, archive.Exposure{
		Agent: s.Agent.ID, Run: e.Run, SuiteHash: s.Plan.SuiteHash, Variants: e.Variants, Tasks: len(s.sample.Holdout),
		FirstRepeat: e.First, Repeats: e.Repeats, Time: s.Now(),
	})
	if err != nil {
		return fmt.Errorf("%w: entering the holdout's ledger: %w", bench.ErrRecorder, err)
	}
	return nil
}
