package patching

import (
	"context"
	"fmt"

	"evolve/archive"
)

// Resume takes up the patches that a crash left drafted: what was recorded is gated
// from the beginning, on the base that it was drawn up on. It returns those it
// finished.
func (d *Desk) Resume(ctx context.Context) ([]archive.ProposalRecord, error) {
	var left []archive.ProposalRecord
	for p, err := range d.Archive.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		if p.Patch != nil && p.State == archive.Drafted {
			left = append(left, p)
		}
	}
	for i, p := range left {
		t, err := d.targetOf(p)
		if err == nil && len(p.Files) == 0 {
			left[i], err = d.unappliable(ctx, p, "it could not be applied, and the reason was lost when the machine stopped")
		} else if err == nil {
			left[i], err = d.gate(ctx, t, p, entryCreate)
		}
		if err != nil {
			return left[:i], fmt.Errorf("taking up %s: %w", p.ID, err)
		}
	}
	return left, nil
}
