package model

import (
	"errors"

	"evolve/archive"
	"evolve/mutate/evidence"
)

// recheck computes the rulings again if the source supports it. If the stored evaluations
// contradict the result, the report contains only the contradiction.
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
			Reason: "the stored result of this night contradicts its evaluations: " + err.Error() + "; compare the archive with a backup",
		}
		return nil
	}
	if err == nil && rulings != (evidence.Checked{}) {
		b.out.Honesty.Rulings = &rulings
	}
	return err
}
