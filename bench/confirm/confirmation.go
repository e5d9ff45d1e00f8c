package confirm

import (
	"context"
	"fmt"
	"slices"

	"evolve/bench"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Confirmation runs one night's confirmation of an agent. It judges an entry only after
// complete blocks and by all its evidence, stops a candidate as soon as it is decided,
// and continues with the next candidate. It is not safe for concurrent use.
type Confirmation struct {
	World
	Setup
	// entries are all entries of the agent, in order.
	entries []*Entry
	// tried are the variants that had a turn in this run, in order.
	tried []agent.ConfigID
	// left is the number of evaluations that may still be made, and place is the position
	// of the next evaluation in the run.
	left, place int
	// blocks is the number of complete blocks of this run.
	blocks int
	// blocked is the reason why a variant that is ahead was not confirmed, and behind
	// describes how far the best variant is from confirmation.
	blocked, behind stats.Cause
	turns           []Turn
}

// Turn is an entry together with its ruling, in a run that has evidence for the entry.
type Turn struct {
	Entry  Entry
	Ruling stats.Ruling
}

// Open reads the entries, and voids those whose evidence is about another champion or
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

// Work gives candidates their turns, one after another. A resumed run first finishes the
// turns that it had started. A proven candidate ends the work, because its adoption would
// void all evidence about other candidates against this champion. A trade-off also ends
// the work, so that a person decides before similar variants use up the month's entries.
// If Work is called again, it continues with the candidates that had no turn in this run.
// The returned error is the error that ended the run.
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
	underWay = slices.DeleteFunc(underWay, func(e *Entry) bool { return slices.Contains(c.tried, e.Variant) })
	for _, e := range c.entries {
		if e.Void != "" && slices.Contains(e.Runs, c.Run) {
			c.hold(stats.Cause{Kind: stats.CauseChanged, Sentence: "something that the evidence depends on changed while the run was interrupted, so nothing more was confirmed"})
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

// turn runs blocks for a candidate until it is decided or the budget does not suffice for
// another block. A candidate that is proven better may still break a guard or harm a
// domain ([stats.Ruling.Pending]): such a candidate continues like an open one until
// these questions are decided too. It keeps its proven state if the blocks end earlier.
// If an error ends the run within a block, turn returns that error.
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
	over := e.State.Ended() // the run was interrupted after this turn had ended
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
		// Evaluations that have been paid for are judged even if the block failed.
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
		c.hold(stats.Cause{Kind: stats.CauseNoBlock, Subject: string(e.Variant), Sentence: "its confirmation ended before every held-out task had run once with each of the two variants"})
	}
	return ended
}

func (c *Confirmation) spend(evaluations int) {
	c.left -= evaluations
	c.place += evaluations
}

// judge rules on all the evidence about a candidate and stores the candidate's state. If
// the ruling is pending, the candidate stays open while more blocks are possible.
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

// rule returns the criteria for an entry.
func (c *Confirmation) rule(e *Entry) stats.Rule {
	return stats.Rule{Alpha: e.Alpha, Fixed: c.Fixed, Cap: e.Projected, Reference: c.Reference, Proof: e.Proof}.Of(c.Metric)
}
