package night

import (
	"context"
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/bench/metrics"
	"evolve/mutate"
	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

// mostRemembered is the maximum number of evaluations of earlier nights that a search
// learns from.
const mostRemembered = 20_000

// The factors by which the trust in an evaluation from an earlier night is multiplied, one
// for each thing that has changed since. They are judgements, not measurements. A changed
// suite or agent leaves half of the trust. Another binary, which includes graders and
// built-in agents, leaves most of it. Other prices leave nearly all of it, because they
// affect a score only through a limit on cost. Every night since then takes away a tenth.
const (
	trustOtherSuite  = .5
	trustOtherAgent  = .5
	trustOtherBinary = .7
	trustOtherPrices = .9
	trustOlderNight  = .9
	// leastTrust is the trust below which an evaluation is not used.
	leastTrust = .05
)

// history returns the results of earlier nights on tonight's search tasks, starting with
// the latest run. It depends only on the archive as it was when the run began and on
// tonight's reruns of the champion, so a resumed run gets the same history. It leaves out
// configs that are no longer in the space, versions of code that [LeftOut] names, and
// nights in which the champion's scores differ from tonight's. An evaluation that several
// runs refer to counts once; for an agent without randomness, history uses the latest
// evaluation of a config on a task.
func (n *night) history(ctx context.Context) ([]mutate.Remembered, error) {
	view := n.view()
	configs := map[agent.ConfigID]agent.Config{}
	for v, err := range view.Variants(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading earlier nights: %w", err)
		}
		c := n.Agent.read(v.Config)
		if c == nil {
			continue
		}
		if l, out := n.leftOut[v.ID]; out {
			n.unsearched = append(n.unsearched, mutate.LeftOut{Config: c, Reason: l.Reason})
			continue
		}
		configs[v.ID] = c
	}
	var out []mutate.Remembered
	var past []pastRun
	run, trust, age, declared := "", 0., 1., false
	seen := map[string]bool{}
	for e, err := range view.Evaluations(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading earlier nights: %w", err)
		}
		if e.Run != run {
			if run != "" {
				age *= trustOlderNight
			}
			run = e.Run
			factor, changed, err := n.trust(ctx, run)
			if err != nil {
				return nil, err
			}
			trust, declared = age*factor, changed
			past = append(past, pastRun{id: run, from: len(out)})
		}
		config, ok := configs[e.Variant]
		same := string(e.Key)
		if n.Agent.Fixed() { // the key differs between stages, but the answer does not
			same = string(e.Variant) + "\x00" + e.Task
		}
		if !ok || !e.Scored || trust < leastTrust || same != "" && seen[same] {
			continue
		}
		seen[same] = true
		out = append(out, mutate.Remembered{Variant: config.ID(), Config: config, Task: e.Task, Score: e.Score, Trust: trust, Night: len(past), Changed: declared})
		if n.earlier != nil {
			e.Transcript = nil
			n.earlier[caseID{config.ID(), e.Task, 0}] = e
		}
		if len(out) == mostRemembered {
			break
		}
	}
	return n.withoutDrift(ctx, past, out)
}

// trust returns the trust in an earlier run, given what has changed since. It also reports
// whether the agent has changed.
func (n *night) trust(ctx context.Context, run string) (trust float64, changed bool, err error) {
	then, err := n.Archive.Plan(ctx, run, n.Agent.ID)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return 0, false, fmt.Errorf("reading earlier nights: %w", err)
	}
	record, err := n.Archive.Run(ctx, run)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return 0, false, fmt.Errorf("reading earlier nights: %w", err)
	}
	trust = 1
	if n.Agent.Relative && (then.SuiteHash != n.Plan.SuiteHash || !metrics.Comparable(then.Metric, n.Plan.Metric)) {
		return 0, false, nil
	}
	for _, c := range []struct {
		then, now string
		factor    float64
	}{
		{then.SuiteHash, n.Plan.SuiteHash, trustOtherSuite},
		{then.AgentHash, n.Plan.AgentHash, trustOtherAgent},
		{record.Binary, n.Run.Binary, trustOtherBinary},
		{then.PricesHash, n.Plan.PricesHash, trustOtherPrices},
	} {
		if c.then != c.now {
			trust *= c.factor
		}
	}
	return trust, then.AgentHash != n.Plan.AgentHash, nil
}

// operators returns the record of the operators as it was at the end of the latest
// earlier run that has such a record. The record is weighted by the trust in that run.
func (n *night) operators(ctx context.Context) (operator.State, error) {
	for run, err := range n.Archive.Runs(ctx) {
		if err != nil {
			return operator.State{}, fmt.Errorf("reading earlier nights: %w", err)
		}
		if run.Number >= n.Run.Number {
			continue
		}
		result, err := n.Archive.Result(ctx, run.ID, n.Agent.ID)
		if errors.Is(err, archive.ErrNotFound) || err == nil && result.Search.Operators == nil {
			continue
		}
		trust := 0.
		if err == nil {
			trust, _, err = n.trust(ctx, run.ID)
		}
		if err != nil {
			return operator.State{}, fmt.Errorf("reading earlier nights: %w", err)
		}
		s := operator.State{Top: result.Search.Operators.Top, Arms: map[string]operator.Arm{}}
		for name, a := range result.Search.Operators.Arms {
			a.Success, a.Children = trust*a.Success, trust*a.Children
			s.Arms[name] = operator.Arm(a)
		}
		return s, nil
	}
	return operator.State{}, nil
}

// view returns the part of the archive that a search may read: without the holdout, and as
// it was when the run began.
func (n *night) view() *archive.SearchView {
	ids := make([]string, len(n.sample.Search))
	for i, t := range n.sample.Search {
		ids[i] = t.ID
	}
	return n.Archive.SearchView(n.Agent.ID, ids).Before(n.Run.ID)
}
