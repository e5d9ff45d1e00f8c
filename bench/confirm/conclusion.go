package confirm

import (
	"fmt"
	"slices"

	"evolve/bench/stats"
)

// Entries returns copies of all entries of the agent, in order.
func (c *Confirmation) Entries() []Entry {
	out := make([]Entry, len(c.entries))
	for i, e := range c.entries {
		out[i] = *e
	}
	return out
}

// Spent returns all entries that the error control counts: those of the agent, and those
// made under other names on the same data.
func (c *Confirmation) Spent() []Entry { return slices.Concat(c.Entries(), c.Others) }

// Turns returns the turns for which this run has evidence, in order.
func (c *Confirmation) Turns() []Turn { return c.turns }

// Blocked returns the reason why a variant that is ahead was not confirmed, or "".
func (c *Confirmation) Blocked() string { return c.blocked.Sentence }

// Blocks returns the number of complete blocks of this run.
func (c *Confirmation) Blocks() int { return c.blocks }

// Conclude returns the night's verdict. The Winner of the conclusion is an index into
// [Confirmation.Turns]. searched reports whether the search reached its planned end;
// refused lists the proposals for turns whose gates refused them.
func (c *Confirmation) Conclude(searched bool, design stats.Design, refused []stats.Refusal) stats.Conclusion {
	rulings := make([]stats.Ruling, len(c.turns))
	for i, t := range c.turns {
		rulings[i] = t.Ruling
	}
	return stats.Conclude(rulings, stats.Circumstances{
		Searched: searched, Blocked: c.blocked, Behind: c.behind, Judged: c.judgedBefore(), LeftOut: c.LeftOut, Refused: refused, Reference: c.Reference, Design: design,
	})
}

// judgedBefore returns a cause that names a variant that is ahead in the search but was
// already judged against this champion in an earlier run. If there is no such variant, it
// returns the zero Cause.
func (c *Confirmation) judgedBefore() stats.Cause {
	for _, f := range c.Finalists {
		for _, e := range c.entries {
			if f.Gain > 0 && e.Variant == f.Variant && c.current(e) && e.State.Ended() {
				return stats.Cause{
					Kind: stats.CauseJudged, Subject: string(e.Variant), Open: e.State == stats.HereOnly, Figures: map[string]float64{"estimated": finite(f.Gain)},
					Sentence: fmt.Sprintf("no new variant looks better than %s on the search tasks; variant %s does, but it was already judged in run %s: %s",
						c.Reference.Words(), e.Variant.Short(), e.Runs[len(e.Runs)-1], e.Reason),
				}
			}
		}
	}
	return stats.Cause{}
}
