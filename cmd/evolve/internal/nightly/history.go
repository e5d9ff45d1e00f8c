package nightly

import (
	"context"
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// mostRemembered bounds the evaluations of earlier nights that a search learns from.
const mostRemembered = 20_000

// What an evaluation of an earlier night is trusted for each thing that changed since;
// the factors are multiplied. They are judgements, not measurements: a changed suite or
// agent leaves half of what was learnt, another binary (graders and built-in agents are
// part of it) most, other prices nearly all, as they move no score but through a limit
// on cost. Every night that lies between takes a tenth.
const (
	trustOtherSuite  = .5
	trustOtherAgent  = .5
	trustOtherBinary = .7
	trustOtherPrices = .9
	trustOlderNight  = .9
	// leastTrust is where an evaluation is no longer worth its place.
	leastTrust = .05
)

// history is what earlier nights learnt on the search tasks of tonight, the latest run
// first. It depends on nothing but what the archive had when the run began, so that a
// resumed run has the same. Configs that are none of the space any more are left out, and
// an evaluation that several runs refer to counts once; of an agent without chance the latest
// of a config on a task does.
func (n *night) history(ctx context.Context) ([]mutate.Remembered, error) {
	view := n.view()
	configs := map[agent.ConfigID]agent.Config{}
	for v, err := range view.Variants(ctx) {
		if err != nil {
			return nil, fmt.Errorf("remembering earlier nights: %w", err)
		}
		if c, problems := n.agent.Read(v.Config); len(problems) == 0 {
			configs[v.ID] = c
		}
	}
	var out []mutate.Remembered
	run, trust, age := "", 0., 1.
	seen := map[string]bool{}
	for e, err := range view.Evaluations(ctx) {
		if err != nil {
			return nil, fmt.Errorf("remembering earlier nights: %w", err)
		}
		if e.Run != run {
			if run != "" {
				age *= trustOlderNight
			}
			run = e.Run
			changed, err := n.trust(ctx, run)
			if err != nil {
				return nil, err
			}
			trust = age * changed
		}
		config, ok := configs[e.Variant]
		same := string(e.Key)
		if n.fixed() { // the key tells stages apart, the answer does not
			same = string(e.Variant) + "\x00" + e.Task
		}
		if !ok || !e.Scored || trust < leastTrust || same != "" && seen[same] {
			continue
		}
		seen[same] = true
		out = append(out, mutate.Remembered{Variant: config.ID(), Config: config, Task: e.Task, Score: e.Score, Trust: trust})
		if len(out) == mostRemembered {
			break
		}
	}
	return out, nil
}

// trust is what is left of an earlier run's word, after what changed since.
func (n *night) trust(ctx context.Context, run string) (float64, error) {
	then, err := n.o.Archive.Plan(ctx, run, n.agent.ID)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return 0, fmt.Errorf("remembering earlier nights: %w", err)
	}
	record, err := n.o.Archive.Run(ctx, run)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return 0, fmt.Errorf("remembering earlier nights: %w", err)
	}
	trust := 1.
	for _, c := range []struct {
		then, now string
		factor    float64
	}{
		{then.SuiteHash, n.plan.SuiteHash, trustOtherSuite},
		{then.AgentHash, n.plan.AgentHash, trustOtherAgent},
		{record.Binary, n.run.Binary, trustOtherBinary},
		{then.PricesHash, n.plan.PricesHash, trustOtherPrices},
	} {
		if c.then != c.now {
			trust *= c.factor
		}
	}
	return trust, nil
}

// view is what the archive shows a search: what was there when the run began, without
// the holdout.
func (n *night) view() *archive.SearchView {
	ids := make([]string, len(n.sides.search))
	for i, t := range n.sides.search {
		ids[i] = t.ID
	}
	return n.o.Archive.SearchView(n.agent.ID, ids).Before(n.run.ID)
}
