package doctor

import (
	"context"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
)

// checkHub tries the hub that the settings name.
func checkHub(ctx context.Context, p Probes, w *workspace.Workspace) []Check {
	const name = "hub"
	if w.Settings.Workers.Hub == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	words, fault, err := p.Hub(ctx, w)
	switch {
	case err != nil:
		_, hint := exit.Of(err)
		check := fail(name, hint, "%s", p.brief(err.Error()))
		check.Err = err
		return []Check{check}
	case fault != "":
		return []Check{warn(name, "start workers with this build of evolve: evolve worker --hub "+w.Settings.Workers.Hub, "%s", p.brief(fault))}
	}
	return []Check{ok(name, "%s", p.brief(words))}
}
