package confirm

import (
	"context"
	"fmt"
	"slices"

	"evolve/bench"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Confirmation is one night's work on the entries of an agent. It judges after complete
// blocks alone and on everything an entry has, stops a candidate as soon as it is
// decided, and goes on with the next. It is not safe for concurrent use.
type Confirmation struct {
	World
	Setup
	// entries are all that the agent ever had, in order.
	entries []*Entry
	// tried are the variants that had their turn in this run, in order.
	tried []agent.ConfigID
	// left is the number of evaluations left, place that of the next in the run.
	left, place int
	// blocks counts the complete ones of this run.
	blocks int
	// blocked says why a variant that is ahead was not taken up, behind how far the best
	// is from being taken up.
	blocked, behind stats.Cause
	turns           []Turn
}

// Turn is what became of an entry in a run that had evidence on it.
type Turn struct {
	Entry  Entry
	Ruling stats.Ruling
}

// Open reads the entries and voids those whose evidence is about another champion or
// another benchmark.
func Open(ctx context.Context, w World, s Setup) (*Confirmation, error) {
	c := &Confirmation{World: w, Setup: s, left: s.Evaluations}
	entries, err := w.Store.Entries(ctx)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		e := &entries[i]
		c.entries = append(c.entries, e)
		why := c.void(e)
		if why == "" {
			continue
		}
		e.Void = why
		if err := w.Store.Put(ctx, *e); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Work gives one candidate after another its turn. A resumed run first finishes with
// those that it was at. A proven one ends the work: once it is adopted, all that others
// had against this champion would be void. So does a trade: a person decides before others
// like it take entries of the month. The error is what ended the run.
func (c *Confirmation) Work(ctx context.Context) error {
	ended := c.work(ctx)
	if ended != nil {
		c.hold(stats.Cause{Kind: stats.CauseStopped, Sentence: "the run ended before the confirmation did"})
	}
	return ended
}

func (c *Confirmation) work(ctx context.Context) error {
	underWay, err := c.underWay(ctx)
	if err != nil {
		return err
	}
	for _, e := range c.entries {
		if e.Void != "" && slices.Contains(e.Runs, c.Run) {
			c.hold(stats.Cause{Kind: stats.CauseChanged, Sentence: "what the evidence is about changed while the run was interrupted, so nothing more was confirmed"})
			return nil
		}
	}
	for {
		var e *Entry
		if len(underWay) > 0 {
			e, underWay = underWay[0], underWay[1:]
		} else {
			if err := c.Stop(); err != nil {
				return err
			}
			if e, err = c.promote(ctx); err != nil || e == nil {
				return err
			}
		}
		if err := c.turn(ctx, e); err != nil || e.State == stats.Proven || e.State == stats.Trade {
			return err
		}
	}
}

// turn runs blocks for a candidate until it is decided or the budget has no room for
// another. One that is better may still break a guard or harm a domain ([stats.Ruling.Pending]): it goes on
// as an open one does until that is settled too, and is what it was shown to be when the
// blocks end. The error is what ended the run in the middle of a block.
func (c *Confirmation) turn(ctx context.Context, e *Entry) error {
	c.tried = append(c.tried, e.Variant)
	first, err := c.expose(ctx, e.Variant)
	if err != nil {
		return err
	}
	has, err := c.Runner.Evidence(ctx, *e)
	if err != nil {
		return err
	}
	all, tonight := has.Blocks()
	size := c.BlockSize(c.blocks)
	c.spend(tonight * size)
	var ruling stats.Ruling
	var ended error
	over := e.State.Ended() // the run was interrupted after this turn
	for {
		room := ended == nil && !over && c.left >= size && !(c.Fixed && all > 0)
		fits := tonight == 0 || room && c.Fits(size)
		if all > 0 {
			if ruling, err = c.judge(context.WithoutCancel(ctx), e, has, room && fits); err != nil {
				return err
			}
		}
		if !room || e.State != stats.Open {
			break
		}
		if !fits {
			ended = bench.ErrBudget
			break
		}
		ended = c.Runner.Run(ctx, Block{
			Variant: e.Variant, Champion: c.Champion, Repeat: first + tonight, Alone: size == c.Tasks, Place: c.place,
		})
		// What was paid for is judged.
		if has, err = c.Runner.Evidence(context.WithoutCancel(ctx), *e); err != nil {
			return err
		}
		before := tonight
		if all, tonight = has.Blocks(); tonight == before && ended == nil {
			return fmt.Errorf("%w: a block that was run is not in the archive", bench.ErrRecorder)
		}
		c.spend((tonight - before) * size)
	}
	c.blocks += tonight
	if all > 0 {
		c.turns = append(c.turns, Turn{Entry: *e, Ruling: ruling})
	} else {
		c.hold(stats.Cause{Kind: stats.CauseNoBlock, Subject: string(e.Variant), Sentence: "not one block of its confirmation was complete"})
	}
	return ended
}

func (c *Confirmation) spend(evaluations int) {
	c.left -= evaluations
	c.place += evaluations
}

// judge rules on everything that a candidate has, and stores where it stands. One that more
// blocks may say more of stays open while there are more.
func (c *Confirmation) judge(ctx context.Context, e *Entry, has Evidence, more bool) (stats.Ruling, error) {
	rule := c.rule(e)
	r := has.Judge(string(e.Variant), rule)
	all, _ := has.Blocks()
	e.State, e.Blocks, e.LogE, e.Reason, e.Proof = r.State, all, r.LogE, r.Reason, r.Proof
	if more && r.Pending(rule) {
		e.State = stats.Open
	}
	return r, c.Store.Put(ctx, *e)
}

// rule is by what an entry is judged.
func (c *Confirmation) rule(e *Entry) stats.Rule {
	return stats.Rule{Alpha: e.Alpha, Fixed: c.Fixed, Cap: e.Projected, Reference: c.Reference, Proof: e.Proof}
}
