package confirm

import (
	"context"
	"math"
	"slices"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// prospect is a variant that may get the next blocks.
type prospect struct {
	variant agent.ConfigID
	// entry is the variant's entry; it is nil until the variant has entered.
	entry *Entry
	// gain and sd are the search's estimates, and pairs is the entry's number of pairs.
	gain, sd float64
	pairs    float64
	// dear reports whether the variant is expected to break a guard.
	dear bool
	// measured is the raw difference from the champion on the search tasks that both ran,
	// and common is the number of those tasks.
	measured float64
	common   int
}

// prospects returns the variants that may get the next block: the variants with open
// entries, and tonight's finalists that no earlier entry judged against this champion.
// The second list holds, in the same order, the posterior mean and standard deviation of
// each.
func (c *Confirmation) prospects(ctx context.Context, variance float64) ([]prospect, []stats.Prospect, error) {
	found := map[agent.ConfigID]Finalist{}
	for _, f := range c.Finalists {
		found[f.Variant] = f
	}
	var list []prospect
	var rated []stats.Prospect
	judged := append([]agent.ConfigID{c.Champion}, c.tried...)
	for _, e := range c.entries {
		if !c.current(e) {
			continue
		}
		judged = append(judged, e.Variant)
		if c.Out[e.Variant] != "" || e.State.Ended() || slices.Contains(c.tried, e.Variant) || c.Fixed && e.Blocks > 0 {
			continue
		}
		p := prospect{variant: e.Variant, entry: e, gain: e.Gain, sd: e.SD}
		if f, ok := found[e.Variant]; ok {
			p.gain, p.sd = c.lead(f)
			p.measured, p.common = f.Measured, f.Common
		}
		has, err := c.Runner.Evidence(ctx, *e)
		if err != nil {
			return nil, nil, err
		}
		measured := has.Differences(variance)
		p.pairs = measured.N
		r := p.rate(measured, has.Judge(string(e.Variant), c.rule(e)).LogE)
		r.Reference = c.Reference
		list, rated = append(list, p), append(rated, r)
	}
	for _, f := range c.Finalists {
		if c.Out[f.Variant] != "" || slices.Contains(judged, f.Variant) {
			continue
		}
		p := prospect{variant: f.Variant, dear: f.Dear, measured: f.Measured, common: f.Common}
		p.gain, p.sd = c.lead(f)
		r := p.rate(stats.Differences{}, 0)
		r.Reference = c.Reference
		if c.Fixed {
			// A fixed agent needs only one block, so the lead counts without shrinkage.
			r.Mean, r.SD = p.gain, max(p.sd, leastSD)
		}
		list, rated = append(list, p), append(rated, r)
	}
	return list, rated, nil
}

// affordable removes the prospects that are expected to break a guard, because a
// trade-off ends the confirmation. It removes none unless another prospect is ahead by at
// least a standard deviation.
func affordable(list []prospect, rated []stats.Prospect) ([]prospect, []stats.Prospect) {
	ahead := false
	for i, r := range rated {
		ahead = ahead || !list[i].dear && r.Mean > 0 && r.Mean >= r.SD
	}
	if !ahead {
		return list, rated
	}
	var kept []prospect
	var keptRated []stats.Prospect
	for i, p := range list {
		if !p.dear {
			kept, keptRated = append(kept, p), append(keptRated, rated[i])
		}
	}
	return kept, keptRated
}

// leastSD is the minimum standard deviation of a gain. It prevents certainty about new
// tasks after a search that used every task.
const leastSD = 1e-3

// lead returns a variant's estimated gain over the champion on new tasks and its standard
// deviation, in score units. The search's estimate is about the search tasks. For a fixed
// agent the scores on the search tasks are known exactly, and only the sampling of the
// tasks adds variance, p̂(1−p̂) per task. Scores between 0 and 1 that differ little between
// cases have less variance. Therefore, if the search has an estimate of the gain that the
// luckiest of its variants would show by chance, the standard deviation is at most that
// estimate. The result only determines which variant gets the next block; no claim depends
// on it.
func (s *Setup) lead(f Finalist) (gain, sd float64) {
	if !s.Fixed {
		return f.Gain, f.SD
	}
	drawn := successVariance(s.Score) / float64(max(1, s.SearchTasks))
	sd = math.Sqrt(f.SD*f.SD + drawn)
	if f.Luck > 0 {
		sd = min(sd, f.Luck)
	}
	return f.Gain, sd
}

// rate combines the results of search and confirmation. A gain with the standard
// deviation sd has the same weight as variance/sd² differences, each with the given
// variance.
func (p prospect) rate(measured stats.Differences, logE float64) stats.Prospect {
	const unit = 1.
	n := unit / math.Pow(max(p.sd, leastSD), 2)
	mean, sd := stats.Posterior(stats.Differences{N: n, Sum: n * p.gain, Variance: unit}, measured)
	return stats.Prospect{
		Variant: string(p.variant), Mean: mean, SD: sd, LogE: logE, Pairs: measured.N, Measured: finite(p.measured), Common: p.common,
	}
}
