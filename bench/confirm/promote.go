package confirm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"evolve/bench/stats"
)

// promote chooses the candidate that gets the next blocks, and enters it if it is new. It
// returns nil if there is no candidate or the budget does not suffice.
func (c *Confirmation) promote(ctx context.Context) (*Entry, error) {
	p, projected, ok, err := c.choose(ctx)
	if err != nil || !ok {
		return nil, err
	}
	return c.enter(ctx, p, projected)
}

// Wanted reports whether a candidate would get a block now. It enters no candidate.
func (c *Confirmation) Wanted(ctx context.Context) (bool, error) {
	_, _, ok, err := c.choose(ctx)
	return ok, err
}

// choose returns the candidate that gets the next blocks and its projected number of
// pairs; ok is false if there is none or the budget does not suffice.
func (c *Confirmation) choose(ctx context.Context) (p prospect, projected float64, ok bool, err error) {
	variance := PairVariance(c.Score)
	list, rated, err := c.prospects(ctx, variance)
	if err != nil {
		return prospect{}, 0, false, err
	}
	list, rated = affordable(list, rated)
	room := c.Room
	if c.Fixed {
		room = math.Inf(1) // one block is enough
	}
	for {
		i, projected, why := stats.Promote(rated, c.level(), variance, room)
		if i < 0 {
			switch why.Kind {
			case stats.CauseTooLong:
				c.hold(why)
			case stats.CauseBehind:
				c.behind = why
			}
			return prospect{}, 0, false, nil
		}
		hindrance := c.hindrance(list[i])
		if hindrance.None() {
			return list[i], projected, true, nil
		}
		hindrance.Subject = string(list[i].variant)
		c.hold(hindrance)
		list, rated = slices.Delete(list, i, i+1), slices.Delete(rated, i, i+1)
	}
}

// hold records why a variant was held back. It keeps the first reason, which concerns the
// best variant.
func (c *Confirmation) hold(why stats.Cause) {
	if c.blocked.None() {
		c.blocked = why
	}
}

// hindrance returns the reason why a prospect that is ahead cannot be confirmed, or the
// zero Cause if it can.
func (c *Confirmation) hindrance(p prospect) stats.Cause {
	if size := c.BlockSize(c.blocks); c.left < size || !c.Fits(size) {
		return stats.Cause{
			Kind: stats.CauseNoRoom, Figures: map[string]float64{"block": float64(size), "left": float64(max(0, c.left))},
			Sentence: fmt.Sprintf("tonight's budget leaves no room for the next %d evaluations of the confirmation", size),
		}
	}
	if p.entry != nil {
		return stats.Cause{}
	}
	entries := c.Entries()
	full := stats.Cause{
		Kind: stats.CauseNoEntry, Figures: map[string]float64{"entries": float64(c.Control.Entries), "days": float64(c.Control.Days)},
	}
	switch left := c.Control.Left(Entered(c.Spent()), c.Now()); {
	case left == 0:
		full.Sentence = NoEntry(c.Control, c.Spent())
		return full
	case left <= c.Keep:
		full.Sentence = fmt.Sprintf("the remaining confirmations (%d) are reserved until the waiting proposal is approved or rejected", left)
		return full
	}
	now := 0
	for _, e := range entries {
		if e.Run == c.Run {
			now++
		}
	}
	if now >= c.Most {
		return stats.Cause{
			Kind: stats.CauseEnough, Figures: map[string]float64{"entered": float64(now)},
			Sentence: fmt.Sprintf("%d variants have entered the confirmation tonight, as many as confirm.finalists allows", now),
		}
	}
	return stats.Cause{}
}

// LeastBlocks is the minimum number of blocks that a candidate is projected to need. The
// projection is for the claim about these tasks; after twice as many blocks, the variance
// between tasks is known well enough to judge the claim about new tasks as well
// ([stats.Judge]).
const LeastBlocks = 4

// enter starts the turn of a prospect: a new one gets an entry, an open one continues,
// and a parked one gets as many further pairs as it is now projected to need.
func (c *Confirmation) enter(ctx context.Context, p prospect, projected float64) (*Entry, error) {
	projected = max(projected, float64(LeastBlocks*c.Tasks))
	if c.Fixed {
		projected = 0 // a fixed agent is never parked
	}
	if p.entry == nil {
		e, err := c.Store.Enter(ctx, Entry{
			Variant: p.variant, Champion: c.Champion, Run: c.Run, Time: c.Now(), Holds: c.Holds, Spends: c.Spends,
			Alpha: c.level(), Projected: projected, Gain: finite(p.gain), SD: finite(p.sd), Runs: []string{c.Run}, State: stats.Open,
		})
		if err != nil {
			return nil, err
		}
		c.entries = append(c.entries, &e)
		return &e, nil
	}
	e := p.entry
	e.Gain, e.SD, e.Runs = finite(p.gain), finite(p.sd), append(slices.Clone(e.Runs), c.Run)
	if e.State == stats.Parked {
		e.State, e.Projected = stats.Open, stats.ResumedCap(p.pairs, projected)
	}
	return e, c.Store.Put(ctx, *e)
}

// finite returns f, or 0 if f is NaN or infinite, which records cannot hold.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}
