package batch

import (
	"context"

	"evolve/mutate/night"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// refusedAlike describes a version that a person refused and that has the same values as
// the given version. It returns "" if there is none.
func (r *runner) refusedAlike(ctx context.Context, agentID string, id agent.ConfigID) (string, error) {
	for _, plan := range r.plans {
		if plan.Agent == agentID {
			words, err := night.RefusedAlike(ctx, r.o.Archive, plan, id)
			return text.Clip(text.OneLine(words), maxRefusal, text.Ellipsis), err
		}
	}
	return "", nil
}
