package batch

import (
	"context"
	"fmt"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
)

// experienceOf identifies what the evaluations of an agent read of its turns in use; "" for
// nothing. An operator's own agent reads nothing of it. takenUp is the id of the interrupted
// run that this may be: it goes on with what was frozen at its start, whatever turns ended
// since then.
func experienceOf(ctx context.Context, store *archive.Archive, a *workspace.Agent, takenUp string) (string, error) {
	if a.Adapter.Kind != workspace.KindBuiltin {
		return "", nil
	}
	read := store.Experience
	if takenUp != "" {
		read = store.FrozenExperience
	}
	e, err := read(ctx, a.ID)
	if err != nil {
		return "", fmt.Errorf("reading what the turns of %s have shown: %w", a.ID, err)
	}
	return e.ForEvaluations().Digest(), nil
}

// freezeExperience stores what the evaluations of a new run read of the agents' turns in use.
func (r *runner) freezeExperience(ctx context.Context) error {
	if r.run.Resumed > 0 {
		return nil
	}
	for _, a := range r.agents {
		if a.Adapter.Kind != workspace.KindBuiltin {
			continue
		}
		if err := r.o.Archive.FreezeExperience(ctx, a.ID); err != nil {
			return fmt.Errorf("storing what the turns of %s have shown: %w", a.ID, err)
		}
	}
	return nil
}
