package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
)

// waits lists an agent's proposals that await a person or their gates. These are
// proposals of a config or of a version of searched code. Each is listed with the changed
// inputs that make it stale. The oldest comes first. It leaves out the proposals of the
// given run.
func (r *runner) waits(ctx context.Context, a *workspace.Agent, run string) ([]archive.Waiting, error) {
	var out []archive.Waiting
	for p, err := range r.o.Archive.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		variant, ok := p.VariantOf(a.ID)
		drafted := p.State == archive.Drafted && p.Kind == archive.KindPatch && p.Imported == ""
		if !ok || !drafted && p.State != archive.Awaiting && p.State != archive.HumanLane || run != "" && p.Run == run {
			continue
		}
		stale, err := r.stale(ctx, a, p)
		if err != nil {
			return nil, err
		}
		out = append(out, archive.Waiting{Proposal: p.ID, Variant: variant, Drafted: drafted, Stale: stale})
	}
	return out, nil
}

// stale lists the inputs that changed since a proposal was measured.
func (r *runner) stale(ctx context.Context, a *workspace.Agent, p archive.ProposalRecord) ([]string, error) {
	if p.Patch == nil {
		w := r.o.Workspace
		return review.Stale(ctx, r.o.Archive, p, workspace.BaseOf(a, w.Suites), w.SuitesOf(a), a.Champion.ID())
	}
	plan, err := r.o.Archive.Plan(ctx, p.Run, a.ID)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return nil, fmt.Errorf("reading the plan of run %s: %w", p.Run, err)
	}
	if plan.AgentHash != a.Hash {
		return []string{"code"}, nil
	}
	return nil, nil
}

// plannedWaits lists the proposals that were waiting when an interrupted run was planned.
// Since then the run's own proposal may have superseded one of them, or the run may have
// passed one through its gates; neither changes the list for the run. If a person has made
// a decision since, plannedWaits lists the proposals that are waiting now.
func (r *runner) plannedWaits(ctx context.Context, a *workspace.Agent, run string) ([]archive.Waiting, error) {
	now, err := r.waits(ctx, a, run)
	if err != nil {
		return nil, err
	}
	plan, err := r.o.Archive.Plan(ctx, run, a.ID)
	if errors.Is(err, archive.ErrNotFound) {
		return now, nil // the run did not reach this agent
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
			then[len(then)-1].Drafted = w.Drafted
		} else if (p.State == archive.Superseded || w.Drafted && p.State == archive.GateFailed) && p.Decision == nil {
			then = append(then, w)
		}
	}
	return slices.Clip(then), nil
}
