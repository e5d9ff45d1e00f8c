package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/nightly"
	"evolve/cmd/evolve/internal/workspace"
)

// dryRun shows what a run would do and what it could see, and spends nothing.
func (sh *shell) dryRun(ctx context.Context, _ *cli.Context, w *workspace.Workspace, opts nightly.Options, o runOptions) error {
	a, err := archive.OpenRead(archiveDir(w.Root))
	if errors.Is(err, archive.ErrNotFound) {
		a, err = archive.OpenMemory(), nil
	}
	if err != nil {
		return opening(err)
	}
	opts.Archive = a
	plan, err := nightly.Prepare(ctx, opts)
	if err = errors.Join(err, a.Close()); err != nil {
		return err
	}
	if o.json {
		return sh.printJSON(map[string]any{"run": plan.Run.ID, "seed": plan.Run.Seed, "plans": plan.Agents})
	}
	out := func(format string, args ...any) { _, _ = fmt.Fprintf(sh.stdout, format, args...) }
	out("run %s, seed %d; nothing is spent by looking\n", plan.Run.ID, plan.Run.Seed)
	for _, p := range plan.Agents {
		out("\n%s on %d search and %d holdout tasks\n", p.Agent, p.SearchTasks, p.HoldoutTasks)
		out("  search    %6d evaluations, %d of them a random baseline\n", p.Search, p.Baseline)
		if p.AA > 0 {
			out("  rerun     %6d evaluations of the champion against itself\n", p.AA)
		}
		if p.Confirm > 0 {
			out("  confirm   %6d evaluations: %s and the champion on every holdout task, %s\n", p.Confirm, count(p.Finalists, "finalist"), count(p.Repeats, "time"))
		}
		if p.Detectable > 0 {
			out("  power     improvements of at least %.1f points are found with 80 %% probability\n", 100*p.Detectable)
		} else if p.Confirm > 0 {
			out("  power     no improvement, however large, could be shown\n")
		}
		for _, warning := range p.Warnings {
			out("  warning   %s\n", warning)
		}
	}
	return nil
}
