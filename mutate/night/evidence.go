package night

import (
	"context"
	"fmt"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/confirm"
	"evolve/mutate/evidence"
)

// grounds are what tonight's rulings are computed from besides evaluations.
func (n *night) grounds() archive.Grounds {
	return archive.Grounds{
		Against: n.Plan.Reference(), Fixed: n.Agent.Fixed(), Tasks: evidence.Tasks(n.sample.Holdout), Bounds: n.Agent.Guards,
	}
}

// assemble reads what an entry has from the evaluations of its runs.
func (n *night) assemble(ctx context.Context, c confirm.Entry) (*evidence.Collected, error) {
	of := evidence.Of{Agent: n.Agent.ID, Variant: c.Variant, Against: c.Champion, Runs: c.Runs}
	out, err := evidence.Assemble(ctx, n.Archive, of, n.grounds(), n.Run.ID)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	return out, nil
}
