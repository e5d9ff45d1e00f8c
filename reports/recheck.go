package reports

import (
	"errors"

	"evolve/archive"
)

// recheck computes the rulings again where the source can. A result that the stored
// evaluations contradict is left out of the report, but for that.
func (b *builder) recheck() error {
	c, ok := b.src.(Rechecker)
	if !ok || !b.finished {
		return nil
	}
	rulings, err := c.Recheck(b.ctx, b.result)
	if errors.Is(err, archive.ErrCorrupt) {
		b.out.Contradiction = err.Error()
		b.result = archive.AgentResult{
			Run: b.result.Run, Agent: b.result.Agent,
			Reason: "what is stored of this night contradicts its evaluations: " + err.Error() + "; compare the archive with a backup",
		}
		return nil
	}
	if err == nil && rulings != (Rulings{}) {
		b.out.Honesty.Rulings = &rulings
	}
	return err
}

// fact is the counts in words.
func (r Rulings) fact() fact {
	var value text
	join := func(n int, what string) {
		if n == 0 {
			return
		}
		if len(value) > 0 {
			value = append(value, say("; ")...)
		}
		value = append(value, say(some(n, "ruling")+" "+what)...)
	}
	join(r.Recomputed, "computed again from the stored evaluations")
	join(r.Unstored, "not recomputable: an older evolve made it")
	join(r.Gone, "not recomputable: its evaluations were removed")
	return fact{"recomputed", value}
}
