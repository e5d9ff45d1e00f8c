package nightly

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// load reads the agent's entries, and voids those whose evidence is about another
// champion or another benchmark.
func (s *confirmation) load(ctx context.Context) error {
	s.holds = holds(s.sides, s.opened.Identity, s.plan.PricesHash)
	for c, err := range s.o.Archive.Candidates(ctx, s.agent.ID) {
		if err != nil {
			return fmt.Errorf("%w: reading the candidates: %w", bench.ErrRecorder, err)
		}
		s.entries = append(s.entries, &c)
	}
	for _, c := range s.entries {
		switch {
		case c.Void != "" || c.State.Ended():
			continue
		case c.Champion != s.plan.Champion:
			c.Void = fmt.Sprintf("the champion was %s and is %s: evidence against another champion says nothing", c.Champion.Short(), s.plan.Champion.Short())
		case c.Holds != s.holds:
			c.Void = "the holdout tasks, the agent, what stands behind it or the prices changed: its evidence is about something else"
		default:
			continue
		}
		if err := s.o.Archive.PutCandidate(ctx, *c, s.o.Now()); err != nil {
			return fmt.Errorf("%w: voiding a candidate: %w", bench.ErrRecorder, err)
		}
	}
	return nil
}

// entered are the times of all entries, which the error control counts.
func entered(entries []*archive.Candidate) []time.Time {
	out := make([]time.Time, len(entries))
	for i, c := range entries {
		out[i] = c.Time
	}
	return out
}

// prospect is a variant that may get the next blocks.
type prospect struct {
	variant agent.ConfigID
	// entry is its open one; nil before it has entered.
	entry *archive.Candidate
	// gain and sd are what the search says, pairs how many the entry has.
	gain, sd float64
	pairs    float64
}

// promote chooses the candidate that gets the next blocks, and enters it when it is
// new. Nil: there is none, or no room for one.
func (s *confirmation) promote(ctx context.Context, rec *mutate.Recommendation) (*archive.Candidate, error) {
	variance := 2 * successVariance(rec.Champion.Score) // of a difference of two runs
	list, rated, err := s.prospects(ctx, rec, variance)
	if err != nil {
		return nil, err
	}
	room := float64(s.control.Days) * float64(s.plan.Confirm/2)
	if s.fixed {
		room = math.Inf(1) // one block is all there is
	}
	for {
		i, projected, reason := stats.Promote(rated, s.control.Alpha(), variance, room)
		if i < 0 {
			switch {
			case projected > 0 && s.blocked == "":
				s.blocked = reason
			case len(rated) > 0:
				s.behind = reason
			}
			return nil, nil
		}
		hindrance := s.hindrance(list[i])
		if hindrance == "" {
			return s.enter(ctx, list[i], projected)
		}
		if s.blocked == "" {
			s.blocked = hindrance
		}
		list, rated = slices.Delete(list, i, i+1), slices.Delete(rated, i, i+1)
	}
}

// prospects lists the open entries, and tonight's finalists that were not judged against
// this champion before, with what is believed of each.
func (s *confirmation) prospects(ctx context.Context, rec *mutate.Recommendation, variance float64) ([]prospect, []stats.Prospect, error) {
	estimates := map[agent.ConfigID]mutate.Estimate{}
	for _, f := range rec.Finalists {
		estimates[f.Variant] = f
	}
	var list []prospect
	var rated []stats.Prospect
	judged := append([]agent.ConfigID{s.plan.Champion}, s.tried...)
	for _, c := range s.entries {
		if c.Void != "" || c.Champion != s.plan.Champion || c.Holds != s.holds {
			continue
		}
		judged = append(judged, c.Variant)
		if c.State.Ended() || slices.Contains(s.tried, c.Variant) || s.fixed && c.Blocks > 0 {
			continue
		}
		p := prospect{variant: c.Variant, entry: c, gain: c.Gain, sd: c.SD}
		if f, ok := estimates[c.Variant]; ok {
			p.gain, p.sd = s.lead(f, rec.Champion)
		}
		has, err := s.assemble(ctx, *c)
		if err != nil {
			return nil, nil, err
		}
		measured := has.differences(variance)
		p.pairs = measured.N
		list, rated = append(list, p), append(rated, p.rate(measured, s.rule(*c, has).LogE))
	}
	for _, f := range rec.Finalists {
		if slices.Contains(judged, f.Variant) {
			continue
		}
		p := prospect{variant: f.Variant}
		p.gain, p.sd = s.lead(f, rec.Champion)
		r := p.rate(stats.Differences{}, 0)
		if s.fixed {
			// One block is all that it costs: the lead counts as it is.
			r.Mean, r.SD = p.gain, max(p.sd, leastSD)
		}
		list, rated = append(list, p), append(rated, r)
	}
	return list, rated, nil
}

// leastSD keeps a search that saw every task from being certain of new ones.
const leastSD = 1e-3

// lead is a variant's estimated gain over the champion on new tasks, with its standard
// deviation. What the search says is about the search tasks; where it knows the answers
// to them (a repeat is no new evidence), how those tasks were drawn is what is left
// to chance, and each counts as one difference of variance p̂(1−p̂) (spec 9.2). This
// decides who gets a block, not what is claimed of it: the claim has clusters as units.
func (n *night) lead(f, champion mutate.Estimate) (gain, sd float64) {
	if !n.fixed() {
		return f.Gain, f.SD
	}
	drawn := successVariance(champion.Score) / float64(max(1, len(n.sides.search)))
	return f.Gain, math.Sqrt(f.SD*f.SD + drawn)
}

// successVariance is the variance of a score that is 1 with chance p and else 0; scores between
// have less.
func successVariance(p float64) float64 {
	p = min(1, max(0, p))
	return p * (1 - p)
}

// rate puts what the search and the confirmation say together. A gain with a standard
// deviation counts as much as variance/sd² differences of that variance.
func (p prospect) rate(measured stats.Differences, logE float64) stats.Prospect {
	const unit = 1.
	n := unit / math.Pow(max(p.sd, leastSD), 2)
	mean, sd := stats.Posterior(stats.Differences{N: n, Sum: n * p.gain, Variance: unit}, measured)
	return stats.Prospect{Variant: string(p.variant), Mean: mean, SD: sd, LogE: logE, Pairs: measured.N}
}

// hindrance says why a prospect that is ahead cannot be taken up; empty when it can.
func (s *confirmation) hindrance(p prospect) string {
	if size := s.blockSize(); s.left < size || !s.budget.Fits(size, s.parallel()) {
		return "tonight's budget has no room for another block"
	}
	if p.entry != nil {
		return ""
	}
	if s.control.Left(entered(s.entries), s.o.Now()) == 0 {
		return noEntry(s.control, s.entries)
	}
	now := 0
	for _, c := range s.entries {
		if c.Run == s.run.ID {
			now++
		}
	}
	if now >= s.plan.Finalists {
		return fmt.Sprintf("%d variants have entered the confirmation tonight, as many as confirm.finalists allows", now)
	}
	return ""
}

// noEntry says that the window is full, and until when.
func noEntry(c stats.Control, entries []*archive.Candidate) string {
	times := entered(entries)
	slices.SortFunc(times, time.Time.Compare)
	free := times[max(0, len(times)-c.Entries)].Add(time.Duration(c.Days) * 24 * time.Hour)
	return fmt.Sprintf("all %d entries into the confirmation of the last %d days are used; the next is free on %s",
		c.Entries, c.Days, free.UTC().Format("2 January 2006"))
}

// leastCap is the fewest blocks that a candidate is projected to need: what it is
// projected for is the claim about these tasks, and after twice as many blocks enough
// is known of how tasks differ to judge of new ones as well ([stats.Judge]).
const leastCap = 4

// enter takes a prospect up: a new one gets an entry, an open one this run among its
// own, and a parked one as many pairs again as it is now projected to need.
func (s *confirmation) enter(ctx context.Context, p prospect, projected float64) (*archive.Candidate, error) {
	projected = max(projected, float64(leastCap*len(s.sides.holdout)))
	if s.fixed {
		projected = 0 // it is not parked
	}
	if p.entry == nil {
		c, err := s.o.Archive.EnterCandidate(ctx, archive.Candidate{
			Agent: s.agent.ID, Variant: p.variant, Champion: s.plan.Champion, Run: s.run.ID, Time: s.o.Now(), Holds: s.holds,
			Alpha: s.control.Alpha(), Projected: projected, Gain: finite(p.gain), SD: finite(p.sd), Runs: []string{s.run.ID},
		})
		if err != nil {
			return nil, fmt.Errorf("%w: entering a candidate: %w", bench.ErrRecorder, err)
		}
		s.entries = append(s.entries, &c)
		return &c, nil
	}
	c := p.entry
	c.Gain, c.SD, c.Runs = finite(p.gain), finite(p.sd), append(slices.Clone(c.Runs), s.run.ID)
	if c.State == stats.Parked {
		c.State, c.Projected = stats.Open, stats.ResumedCap(p.pairs, projected)
	}
	if err := s.o.Archive.PutCandidate(ctx, *c, s.o.Now()); err != nil {
		return nil, fmt.Errorf("%w: taking a candidate up again: %w", bench.ErrRecorder, err)
	}
	return c, nil
}
