package confirm

import (
	"context"
	"slices"

	"evolve/runtime/agent"
)

// expose records a use of the holdout for a variant in the holdout's ledger before that
// use takes place. It returns the first repeat number of the use, which no earlier use
// can have taken. If repeats provide no new evidence, all uses in a run share one repeat
// number.
func (c *Confirmation) expose(ctx context.Context, variant agent.ConfigID) (first int, err error) {
	before, err := c.Ledger.Exposures(ctx)
	if err != nil {
		return 0, err
	}
	shared := -1
	for _, e := range before {
		if e.Run == c.Run {
			if slices.Contains(e.Variants, variant) {
				return e.First, nil // a resumed run continues with its own repeats
			}
			shared = e.First
		}
		first = max(first, e.First+e.Repeats)
	}
	if c.Fixed && shared >= 0 {
		first = shared
	}
	repeats := c.left / c.BlockSize(c.blocks)
	if c.Fixed {
		repeats = 1
	}
	return first, c.Ledger.Expose(ctx, Exposure{Run: c.Run, Variants: []agent.ConfigID{variant}, First: first, Repeats: repeats})
}

// underWay returns the entries that this run had started before it was interrupted, in the
// order in which they were started.
func (c *Confirmation) underWay(ctx context.Context) ([]*Entry, error) {
	exposures, err := c.Ledger.Exposures(ctx)
	if err != nil {
		return nil, err
	}
	var order []agent.ConfigID
	for _, e := range exposures {
		if e.Run == c.Run {
			order = append(order, e.Variants...)
		}
	}
	var out []*Entry
	for _, e := range c.entries {
		if c.current(e) && slices.Contains(e.Runs, c.Run) {
			out = append(out, e)
		}
	}
	// Entries without a recorded use of the holdout come last.
	at := func(e *Entry) int {
		if i := slices.Index(order, e.Variant); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(out, func(a, b *Entry) int { return at(a) - at(b) })
	return out, nil
}
