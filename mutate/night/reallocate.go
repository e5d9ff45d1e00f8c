package night

import (
	"context"
	"math"
	"slices"

	"evolve/bench/confirm"
	"evolve/bench/stats"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// reallocate moves evaluations from the confirmation, which is not projected to need
// them, to the ablation of rec's finalists. If the gain is large, few blocks are needed,
// and spending the remaining evaluations on the ablation costs less than the time that a
// person would take to read changes without effect. The confirmation retains at least
// half of its blocks, and at least twice as many as the best finalist is projected to
// need at the lower end of its estimate. If repeating an evaluation yields no new
// evidence, there is one block, and nothing is moved.
func (n *night) reallocate(ctx context.Context, rec *mutate.Recommendation) error {
	if n.Agent.Fixed() || n.Plan.Confirm == 0 || n.released > 0 {
		return nil
	}
	entered, err := n.entered(ctx)
	if err != nil {
		return err
	}
	turns := n.toAblate(rec, entered)
	need := -n.Plan.Ablate
	for _, f := range turns {
		need += ablateNeed(changedBy(f.Config, n.Agent.Champion), len(n.sample.Search), false)
	}
	tasks := n.Plan.HoldoutTasks
	lent := n.Plan.Repeats - max(confirm.LeastBlocks, (n.Plan.Repeats+1)/2)
	if spare := float64(n.Plan.Repeats) - math.Ceil(2*n.projected(turns, rec.Champion.Score+n.bar.gain)/float64(tasks)); spare < float64(lent) {
		lent = int(max(0, spare))
	}
	if lent = min(lent, (need+2*tasks-1)/(2*tasks)); lent <= 0 {
		return nil
	}
	p := n.Plan
	p.Repeats -= lent
	p.Confirm -= 2 * tasks * lent
	p.Ablate += 2 * tasks * lent
	p.Lent += 2 * tasks * lent
	a := allocation{Confirm: p.Confirm, Blocks: p.Repeats}
	a.power(n.inputOf(n.sample, n.Share.Evaluations))
	p.Detectable, p.Month, p.Power = a.Detectable, a.Month, a.Power
	return nil
}

// toAblate returns the finalists that are ablated with evaluations of their own, at most as
// many as may enter tonight. None of them has entered yet, the confirmation would accept
// each of them, and each is ahead by at least one standard deviation.
func (n *night) toAblate(rec *mutate.Recommendation, entered map[agent.ConfigID]bool) []mutate.Estimate {
	turns := slices.DeleteFunc(slices.Clone(rec.Finalists), func(f mutate.Estimate) bool {
		return entered[f.Variant] || f.Gain <= 0 || f.Gain < f.SD
	})
	return turns[:min(len(turns), max(1, n.Plan.Finalists))]
}

// projected returns the number of pairs that the best of some finalists is projected to
// need against a reference with the given score, if its gain is one standard deviation
// below its estimate. It returns +Inf if there are no finalists.
func (n *night) projected(finalists []mutate.Estimate, score float64) float64 {
	gain := 0.
	for _, f := range finalists {
		gain = max(gain, f.Gain-n.bar.gain-math.Hypot(f.SD, n.bar.sd))
	}
	return stats.ProjectedPairs(gain, 0, n.Settings.Confirm.Control().Alpha(), confirm.PairVariance(score))
}
