package batch

import (
	"context"
	"fmt"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
)

// experienceOf identifies what the evaluations of an agent read of its turns in use; "" for
// nothing. An operator's own agent reads nothing of it. It stays the same while a process of
// a run holds the archive. Where turns were stored between the death of a process and the
// resume, the plan is another one, and the run is not resumed: evaluations under two
// experiences are no pairs.
func experienceOf(ctx context.Context, store *archive.Archive, a *workspace.Agent) (string, error) {
	if a.Adapter.Kind != workspace.KindBuiltin {
		return "", nil
	}
	e, err := store.Experience(ctx, a.ID)
	if err != nil {
		return "", fmt.Errorf("reading what the turns of %s have shown: %w", a.ID, err)
	}
	return e.ForEvaluations().Digest(), nil
}
