package nightly

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"evolve/bench"
	"evolve/bench/confirm"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// evidence is the evidence about a candidate: its pairs with the champion by task, from
// complete blocks only.
type evidence struct {
	order []*bench.Task
	by    map[string]*stats.Pair
	// blocks counts the complete blocks, tonight those of this run among them.
	blocks, tonight int
	// night is the index of the run whose pairs are added.
	night int
	// guards are the bounds for the ruling.
	guards []stats.Bound
}

func newEvidence(tasks []*bench.Task) *evidence {
	e := &evidence{order: tasks, by: make(map[string]*stats.Pair, len(tasks))}
	for _, t := range tasks {
		e.by[t.ID] = &stats.Pair{Task: t.ID, Domain: t.Domain, Cluster: t.Unit(), Weight: t.Importance()}
	}
	return e
}

// add adds one pair of evaluations of the same task and repeat, the champion's first. If
// data is missing on one side, it stores the other's score separately.
func (e *evidence) add(a, b bench.Evaluation) {
	pair, ok := e.by[a.Task]
	switch {
	case !ok || !a.Scored && !b.Scored:
		return
	case !b.Scored:
		pair.AloneA = append(pair.AloneA, a.Score)
		return
	case !a.Scored:
		pair.AloneB = append(pair.AloneB, b.Score)
		return
	}
	pair.A, pair.B, pair.Nights = append(pair.A, a.Score), append(pair.B, b.Score), append(pair.Nights, e.night)
	pair.FailedA, pair.FailedB = append(pair.FailedA, !a.Outcome.Gradable()), append(pair.FailedB, !b.Outcome.Gradable())
	pair.CostA, pair.CostB = append(pair.CostA, a.Usage.CostUSD), append(pair.CostB, b.Usage.CostUSD)
	pair.LatencyA, pair.LatencyB = append(pair.LatencyA, a.Latency.Seconds()), append(pair.LatencyB, b.Latency.Seconds())
	e.consumed(pair, a, b)
}

// consumed adds a pair's consumption in the guarded metrics that have no field of their
// own.
func (e *evidence) consumed(pair *stats.Pair, a, b bench.Evaluation) {
	for _, g := range e.guards {
		m, ok := bench.MetricOf(g.Name)
		if !ok || m.Name == bench.MetricCost || m.Name == bench.MetricLatency {
			continue
		}
		if pair.Other == nil {
			pair.Other = map[string]stats.Measured{}
		}
		was := pair.Other[m.Name]
		pair.Other[m.Name] = stats.Measured{A: append(was.A, m.Of(&a)), B: append(was.B, m.Of(&b))}
	}
}

// pairs returns the pairs of the tasks that have any, in the order of the tasks.
func (e *evidence) pairs() []stats.Pair {
	var out []stats.Pair
	for _, t := range e.order {
		if pair := e.by[t.ID]; len(pair.A)+len(pair.AloneA)+len(pair.AloneB) > 0 {
			out = append(out, *pair)
		}
	}
	return out
}

// Differences returns the candidate's differences to the champion over all pairs;
// variance is that of a single one.
func (e *evidence) Differences(variance float64) stats.Differences {
	d := stats.Differences{Variance: variance}
	for _, t := range e.order {
		pair := e.by[t.ID]
		for i := range pair.A {
			d.N++
			d.Sum += pair.B[i] - pair.A[i]
		}
	}
	return d
}

// block is one repeat of the holdout under two configs, by task.
type block struct{ champion, variant map[string]bench.Evaluation }

// complete reports whether every task was evaluated on both sides. Missing data (the
// infrastructure failed it) leaves a block complete.
func (b block) complete(tasks []*bench.Task) bool {
	return !slices.ContainsFunc(tasks, func(t *bench.Task) bool {
		_, first := b.champion[t.ID]
		_, second := b.variant[t.ID]
		return !first || !second
	})
}

// blocks holds the evaluations of a variant's confirmation by repeat.
type blocks map[int]block

func (b blocks) take(e bench.Evaluation, champion, variant agent.ConfigID) {
	if e.Stage != bench.StageConfirm || e.Variant != champion && e.Variant != variant {
		return
	}
	one, ok := b[e.Repeat]
	if !ok {
		one = block{map[string]bench.Evaluation{}, map[string]bench.Evaluation{}}
		b[e.Repeat] = one
	}
	if e.Variant == champion {
		one.champion[e.Task] = e
	} else {
		one.variant[e.Task] = e
	}
}

// gather adds the complete blocks to e and returns their number.
func (b blocks) gather(e *evidence) (complete int) {
	for _, repeat := range slices.Sorted(maps.Keys(b)) {
		one := b[repeat]
		if !one.complete(e.order) {
			continue
		}
		complete++
		for _, t := range e.order {
			e.add(one.champion[t.ID], one.variant[t.ID])
		}
	}
	e.blocks += complete
	return complete
}

// assemble reads an entry's evidence from the evaluations of its runs.
func (n *night) assemble(ctx context.Context, c confirm.Entry) (*evidence, error) {
	out := newEvidence(n.sides.holdout)
	out.guards = n.o.Workspace.Bounds(n.agent)
	for i, run := range c.Runs {
		out.night = i
		found := blocks{}
		for e, err := range n.o.Archive.Evaluations(ctx, run, n.agent.ID) {
			if err != nil {
				return nil, fmt.Errorf("%w: reading the evidence of run %s: %w", bench.ErrRecorder, run, err)
			}
			found.take(e, c.Champion, c.Variant)
		}
		if complete := found.gather(out); run == n.run.ID {
			out.tonight = complete
		}
	}
	return out, nil
}
