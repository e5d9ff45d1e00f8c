package watch

import (
	"context"
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Replaced returns the config that the latest adoption replaced and that the run with the
// given number should measure alongside the active config. It returns nil if there is no
// such config: if nothing was adopted, if the adopted config is no longer active, if there
// have been [stats.WatchNights] nights since the adoption, if the space no longer includes
// the old config, or if the agent is without randomness, because the scores of such an
// agent do not depend on the night.
func Replaced(ctx context.Context, store Store, plan archive.AgentPlan, number int, space agent.Space) (agent.Config, error) {
	if plan.Fixed() {
		return nil, nil
	}
	decided, err := decisions(ctx, store, plan.Agent)
	if err != nil {
		return nil, err
	}
	var p *archive.ProposalRecord
	for i := range decided {
		if decided[i].State == archive.Adopted && decided[i].OfConfig() {
			p = &decided[i]
		}
	}
	if p == nil || p.Variant != plan.Champion || p.Champion == plan.Champion {
		return nil, nil
	}
	nights, err := history(ctx, store, plan.Agent, number, mostNights, nil)
	if err != nil {
		return nil, err
	}
	since := 0
	for _, n := range nights {
		if n.started.After(p.Decision.Time) {
			since++
		}
	}
	if since >= stats.WatchNights {
		return nil, nil
	}
	old, err := store.Variant(ctx, plan.Agent, p.Champion)
	if errors.Is(err, archive.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the config that %s replaced: %w", p.ID, err)
	}
	if c, problems := space.Clamp(old.Config); len(problems) > 0 || c.ID() != p.Champion {
		return nil, nil
	}
	return old.Config, nil
}
