package night

import (
	"context"
	"fmt"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/confirm"
)

// records stores two things in the archive: the agent's entries into the confirmation,
// and the openings of its holdout.
type records struct{ *night }

// Entries returns all entries that the agent has ever had.
func (s *records) Entries(ctx context.Context) ([]confirm.Entry, error) {
	return entriesOf(ctx, s.Archive, s.Agent.ID)
}

func entriesOf(ctx context.Context, a *archive.Archive, agentID string) ([]confirm.Entry, error) {
	var out []confirm.Entry
	for c, err := range a.Candidates(ctx, agentID) {
		if err != nil {
			return nil, fmt.Errorf("%w: reading the candidates: %w", bench.ErrRecorder, err)
		}
		out = append(out, c)
	}
	return out, nil
}

// spentByOthers returns the entries that agents under other names made on the same data.
func spentByOthers(ctx context.Context, a *archive.Archive, agentID, spends string) ([]confirm.Entry, error) {
	var out []confirm.Entry
	for c, err := range a.SpentByOthers(ctx, agentID, spends) {
		if err != nil {
			return nil, fmt.Errorf("%w: reading the candidates entered under other agent names: %w", bench.ErrRecorder, err)
		}
		out = append(out, c)
	}
	return out, nil
}

// Enter opens an entry.
func (s *records) Enter(ctx context.Context, e confirm.Entry) (confirm.Entry, error) {
	e.Agent = s.Agent.ID
	e, err := s.Archive.EnterCandidate(ctx, e)
	if err != nil {
		return e, fmt.Errorf("%w: entering a candidate: %w", bench.ErrRecorder, err)
	}
	return e, nil
}

// Put stores the state of an entry.
func (s *records) Put(ctx context.Context, e confirm.Entry) error {
	if err := s.Archive.PutCandidate(ctx, e, s.Now()); err != nil {
		return fmt.Errorf("%w: storing a candidate: %w", bench.ErrRecorder, err)
	}
	return nil
}

// Exposures returns the agent's exposures to the holdout, in order.
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

// Expose records an opening of the holdout before it happens.
func (s *records) Expose(ctx context.Context, e confirm.Exposure) error {
	err := s.Archive.Expose(ctx, archive.Exposure{
		Agent: s.Agent.ID, Run: e.Run, SuiteHash: s.Plan.SuiteHash, Variants: e.Variants, Tasks: len(s.sample.Holdout),
		FirstRepeat: e.First, Repeats: e.Repeats, Time: s.Now(),
	})
	if err != nil {
		return fmt.Errorf("%w: adding an entry to the holdout's ledger: %w", bench.ErrRecorder, err)
	}
	return nil
}
