package night

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// against returns the latest waiting proposal that is not stale; ok is false if there is
// none.
func against(waits []archive.Waiting) (w archive.Waiting, ok bool) {
	for _, w := range slices.Backward(waits) {
		if len(w.Stale) == 0 {
			return w, true
		}
	}
	return archive.Waiting{}, false
}

// waitsFor describes what a proposal waits for: a decision or the gates.
func waitsFor(w archive.Waiting) string {
	if w.Drafted {
		return "waits for its gates"
	}
	return "waits for a decision"
}

// reference describes what candidates are compared with while a proposal waits: the
// proposal's variant, and its measured gain over the champion. It returns nil if no
// proposal waits.
func (n *night) reference(ctx context.Context) (*stats.Reference, error) {
	w, ok := against(n.Plan.Waits)
	if !ok {
		return nil, nil
	}
	ref := stats.Reference{Proposal: w.Proposal, Variant: string(w.Variant)}
	for id, number := range map[agent.ConfigID]*int{w.Variant: &ref.Number, n.Plan.Champion: &ref.Champion} {
		v, err := n.Archive.Variant(ctx, n.Agent.ID, id)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return nil, fmt.Errorf("%w: reading the variant of the waiting proposal or the champion: %w", bench.ErrRecorder, err)
		}
		*number = v.Number
	}
	p, err := n.Archive.Proposal(ctx, w.Proposal)
	if err != nil {
		return nil, fmt.Errorf("%w: reading the waiting proposal: %w", bench.ErrRecorder, err)
	}
	p.Agent, p.Variant = n.Agent.ID, w.Variant // a patch has its own fields for the agent and the variant
	r, err := n.ruling(ctx, p)
	if r != nil {
		ref.Add(r)
	}
	return &ref, err
}

// ruling returns the ruling on a proposal's variant from the run that made the proposal, or
// nil.
func (n *night) ruling(ctx context.Context, p archive.ProposalRecord) (*stats.Ruling, error) {
	result, err := n.Archive.Result(ctx, p.Run, p.Agent)
	if errors.Is(err, archive.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: reading the result of run %s: %w", bench.ErrRecorder, p.Run, err)
	}
	for _, f := range result.Finalist {
		if f.Variant == p.Variant {
			return f.Ruling, nil
		}
	}
	return nil, nil
}
