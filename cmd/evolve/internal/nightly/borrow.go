package nightly

import (
	"context"
	"math"
	"slices"

	"evolve/bench/confirm"
	"evolve/bench/stats"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// borrow gives making rec's finalists small what the confirmation is not projected to need.
// A gain that is far above chance takes a few blocks, and what would be left of the others is
// cheaper than a person who reads changes that do nothing. The confirmation keeps half of its
// blocks, and twice as many as the best finalist is projected to need at the lower end of its
// estimate. Where a repeat is no new evidence there is one block, and nothing is lent.
func (n *night) borrow(ctx context.Context, rec *mutate.Recommendation) error {
	if n.fixed() || n.plan.Confirm == 0 || n.released > 0 {
		return nil
	}
	entered, err := n.entered(ctx)
	if err != nil {
		return err
	}
	turns := n.turns(rec, entered)
	need := -n.plan.Ablate
	for _, f := range turns {
		need += ablateNeed(changedBy(f.Config, n.agent.Champion), len(n.sides.search), false)
	}
	tasks := n.plan.HoldoutTasks
	lent := n.plan.Repeats - max(confirm.LeastBlocks, (n.plan.Repeats+1)/2)
	if spare := float64(n.plan.Repeats) - math.Ceil(2*n.projected(turns, rec.Champion.Score+n.bar.gain)/float64(tasks)); spare < float64(lent) {
		lent = int(max(0, spare))
	}
	if lent = min(lent, (need+2*tasks-1)/(2*tasks)); lent <= 0 {
		return nil
	}
	p := n.plan
	p.Repeats -= lent
	p.Confirm -= 2 * tasks * lent
	p.Ablate += 2 * tasks * lent
	p.Lent += 2 * tasks * lent
	a := Allocation{Confirm: p.Confirm, Blocks: p.Repeats}
	a.power(n.want(n.agent, n.sides, n.evaluations))
	p.Detectable, p.Month, p.Power = a.Detectable, a.Month, a.Power
	return nil
}

// turns are the finalists that are made small with evaluations of their own: as many as may
// enter tonight, of those that have not entered and that the confirmation would take up,
// whose lead is a standard deviation or more (spec 9.2).
func (n *night) turns(rec *mutate.Recommendation, entered map[agent.ConfigID]bool) []mutate.Estimate {
	turns := slices.DeleteFunc(slices.Clone(rec.Finalists), func(f mutate.Estimate) bool {
		return entered[f.Variant] || f.Gain <= 0 || f.Gain < f.SD
	})
	return turns[:min(len(turns), max(1, n.plan.Finalists))]
}

// projected is the number of pairs that the best of some finalists is projected to need
// against a reference with this score, at a standard deviation below its estimate; +Inf for none.
func (n *night) projected(finalists []mutate.Estimate, score float64) float64 {
	gain := 0.
	for _, f := range finalists {
		gain = max(gain, f.Gain-n.bar.gain-math.Hypot(f.SD, n.bar.sd))
	}
	return stats.ProjectedPairs(gain, 0, n.o.Workspace.Settings.Confirm.Control().Alpha(), confirm.PairVariance(score))
}
