package batch

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
		Against: n.plan.Reference(), Fixed: n.fixed(), Tasks: evidence.Tasks(n.sides.holdout), Bounds: n.o.Workspace.Bounds(n.agent),
	}
}

// assemble reads what an entry has from the evaluations of its runs.
func (n *night) assemble(ctx context.Context, c confirm.Entry) (*evidence.Collected, error) {
	of := evidence.Of{Agent: n.agent.ID, Variant: c.Variant, Against: c.Champion, Runs: c.Runs}
	out, err := evidence.Assemble(ctx, n.o.Archive, of, n.grounds(), n.run.ID)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	return out, nil
}
