package cli

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/evidence"
	"evolve/reports/model"
)

var _ model.Mover = runsAsTheyAre{}

// runOwner is the owner that a run writes to the archive's lock.
const runOwner = wire.RunOwner

// runsAsTheyAre is an archive in which a run counts as interrupted if it is recorded as
// running but no process is working on it. This is needed because the end of a killed run
// is not recorded.
type runsAsTheyAre struct {
	*archive.Archive
	on bool
	// present loads the workspace as it is now; it returns nil if the workspace has
	// mistakes. The source compares the workspace with the conditions under which waiting
	// configs were measured. If present is nil, the source makes no comparison.
	present func() *workspace.Workspace
}

// asTheyAreIn is like asTheyAre, but marks proposals that are stale in the workspace at
// root. The workspace is loaded once, for the first proposal that awaits a decision on a
// config.
func asTheyAreIn(ctx context.Context, root string, a *archive.Archive) (runsAsTheyAre, error) {
	src, err := asTheyAre(ctx, a)
	return src.in(root), err
}

// in returns r, set up to mark proposals that are stale in the workspace at root.
func (r runsAsTheyAre) in(root string) runsAsTheyAre {
	r.present = sync.OnceValue(func() *workspace.Workspace { return loadable(root) })
	return r
}

// MovedSince is [model.Mover.MovedSince].
func (r runsAsTheyAre) MovedSince(ctx context.Context, id string) (moved []string, known bool, err error) {
	if r.present == nil {
		return nil, false, nil
	}
	return movedSince(ctx, r.present, r.Archive, id)
}

func asTheyAre(ctx context.Context, a *archive.Archive) (runsAsTheyAre, error) {
	owner, alive, err := a.Writer(ctx)
	if err != nil {
		return runsAsTheyAre{}, fmt.Errorf("looking for a run in progress: %w", err)
	}
	return runsAsTheyAre{Archive: a, on: alive && strings.HasPrefix(owner, runOwner)}, nil
}

// Recheck is [evidence.Check].
func (r runsAsTheyAre) Recheck(ctx context.Context, result archive.AgentResult) (evidence.Checked, error) {
	return evidence.Check(ctx, r.Archive, result)
}

// Run is [archive.Archive.Run].
func (r runsAsTheyAre) Run(ctx context.Context, name string) (archive.Run, error) {
	run, err := r.Archive.Run(ctx, name)
	if err != nil {
		return run, err
	}
	return r.asItIs(ctx, run)
}

// Runs is [archive.Archive.Runs].
func (r runsAsTheyAre) Runs(ctx context.Context) iter.Seq2[archive.Run, error] {
	return func(yield func(archive.Run, error) bool) {
		for run, err := range r.Archive.Runs(ctx) {
			if err == nil {
				run, err = r.asItIs(ctx, run)
			}
			if !yield(run, err) {
				return
			}
		}
	}
}

func (r runsAsTheyAre) asItIs(ctx context.Context, run archive.Run) (archive.Run, error) {
	if r.on || run.State != archive.RunRunning {
		return run, nil
	}
	last, err := lastTrace(ctx, r.Archive, run)
	if err != nil {
		return run, err
	}
	run.State, run.Exit = archive.RunInterrupted, exit.Interrupted
	run.Reason = "its process died, or could not record the run's end because the disk was full; the last record is from " + last.Local().Format("2006-01-02 15:04:05")
	return run, nil
}

// lastTrace returns the time of a run's latest evaluation, or of its latest start or
// resumption if there is no later evaluation.
func lastTrace(ctx context.Context, a *archive.Archive, run archive.Run) (time.Time, error) {
	last := run.Started
	if run.Since.After(last) {
		last = run.Since
	}
	for _, id := range run.Agents {
		t, err := a.Tally(ctx, run.ID, id)
		if err != nil {
			return last, fmt.Errorf("finding the last record of run %s: %w", run.ID, err)
		}
		if t.Last.After(last) {
			last = t.Last
		}
	}
	return last, nil
}
