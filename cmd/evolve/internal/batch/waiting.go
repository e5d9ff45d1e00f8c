package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/decide"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
)

// waits lists an agent's proposals of a config that await a person, the oldest first,
// each with what makes it stale. It leaves out those of the given run.
func (r *runner) waits(ctx context.Context, a *workspace.Agent, run string) ([]archive.Waiting, error) {
	var out []archive.Waiting
	for p, err := range r.o.Archive.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		if !p.AwaitsConfig() || p.Agent != a.ID || run != "" && p.Run == run {
			continue
		}
		out = append(out, archive.Waiting{Proposal: p.ID, Variant: p.Variant, Stale: decide.Stale(p, a, r.o.Workspace.Suites)})
	}
	return out, nil
}

// survive lists what waited when an interrupted run was planned. Its own proposal may
// have superseded that since, which changes nothing for the run. A person's decision
// does, and then the result is what waits now.
func (r *runner) survive(ctx context.Context, a *workspace.Agent, run string) ([]archive.Waiting, error) {
	now, err := r.waits(ctx, a, run)
	if err != nil {
		return nil, err
	}
	plan, err := r.o.Archive.Plan(ctx, run, a.ID)
	if errors.Is(err, archive.ErrNotFound) {
		return now, nil // it did not reach this agent
	}
	if err != nil {
		return nil, fmt.Errorf("reading the interrupted run's plan: %w", err)
	}
	then := make([]archive.Waiting, 0, len(plan.Waits))
	for _, w := range plan.Waits {
		p, err := r.o.Archive.Proposal(ctx, w.Proposal)
		if err != nil {
			return nil, fmt.Errorf("reading proposal %s: %w", w.Proposal, err)
		}
		if i := slices.IndexFunc(now, func(n archive.Waiting) bool { return n.Proposal == w.Proposal }); i >= 0 {
			then = append(then, now[i])
		} else if p.State == archive.Superseded && p.Decision == nil {
			then = append(then, w)
		}
	}
	return slices.Clip(then), nil
}

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

// reference describes what candidates are measured against while a proposal waits: its
// variant, and its measured gain over the champion. It is nil if nothing waits.
func (n *night) reference(ctx context.Context) (*stats.Reference, error) {
	w, ok := against(n.plan.Waits)
	if !ok {
		return nil, nil
	}
	ref := stats.Reference{Proposal: w.Proposal, Variant: string(w.Variant)}
	for id, number := range map[agent.ConfigID]*int{w.Variant: &ref.Number, n.plan.Champion: &ref.Champion} {
		v, err := n.o.Archive.Variant(ctx, n.agent.ID, id)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return nil, fmt.Errorf("%w: reading the variant that waits: %w", bench.ErrRecorder, err)
		}
		*number = v.Number
	}
	p, err := n.o.Archive.Proposal(ctx, w.Proposal)
	if err != nil {
		return nil, fmt.Errorf("%w: reading what waits: %w", bench.ErrRecorder, err)
	}
	r, err := n.ruling(ctx, p)
	if r != nil {
		ref.Add(r)
	}
	return &ref, err
}

// ruling returns the ruling on a proposal's variant by the run that made it, or nil.
func (n *night) ruling(ctx context.Context, p archive.ProposalRecord) (*stats.Ruling, error) {
	result, err := n.o.Archive.Result(ctx, p.Run, p.Agent)
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
