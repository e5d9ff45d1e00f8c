package cli

import (
	"context"
	"fmt"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/text"
)

// leaving returns a function for a new run to call with an earlier run that will now stay
// unfinished. The function names the earlier run on the terminal, and updates that run's
// pages so that they no longer advise resuming it.
func leaving(ctx context.Context, sh *shell, w *workspace.Workspace, a *archive.Archive) func(archive.Run) {
	return func(left archive.Run) {
		if words := leftWords(left); words != "" && !sh.quiet {
			sh.eprintf("%s\n", sh.localHint(words))
		}
		if err := renewPages(ctx, w.Root, a); err != nil {
			sh.eprintf("warning: cannot update the pages of earlier nights: %s; the run is not affected\n", text.Visible(err.Error()))
		}
	}
}

// leftWords describes a run that a new run leaves unfinished. It returns "" for a run
// whose error asks for a new run, and for a run whose process died, because a warning
// names that run.
func leftWords(left archive.Run) string {
	how := "was interrupted"
	switch {
	case left.State == archive.RunFailed && left.Try == "":
		how = "ended early"
	case left.State != archive.RunInterrupted:
		return ""
	}
	open := ""
	used := 0
	for _, l := range left.Limits {
		used += l.Used
	}
	if missing := left.BudgetEval - used; missing > 0 && len(left.Limits) > 0 {
		open = fmt.Sprintf(": %s of its %s not made", text.Whole(missing), count(left.BudgetEval, "evaluation")+wasOrWere(missing))
	}
	return fmt.Sprintf("run %s %s and is left unfinished%s; only the latest run can be resumed: next time, type `evolve run --resume` before you start another run", left.ID, how, open)
}

// wasOrWere returns the verb for a number of things in the past.
func wasOrWere(n int) string {
	if n == 1 {
		return " was"
	}
	return " were"
}
