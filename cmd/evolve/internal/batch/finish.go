package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate/night"
	"evolve/mutate/night/limits"
)

// finish records the end of the run.
func (r *runner) finish(ctx context.Context, ended error, results []archive.AgentResult) error {
	// First store the evaluations that were paid for; if that fails, the failure ends the
	// run.
	if err := r.o.Archive.Flush(ctx); err != nil && ended == nil {
		ended = fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	r.run.Ended, r.run.Reached = r.o.Now(), r.slots.Reached()
	if r.o.Guards != nil {
		r.run.Guards = r.o.Guards()
	}
	if r.o.Live != nil {
		var err error
		if r.run.Live, err = r.o.Live(); err != nil {
			r.o.Log.Warn("the effect of limits on live turns is not in the report", "error", err)
		}
	}
	r.run.PaidUSD = r.budget.Spent()
	if err := r.budget.Close(); err != nil && ended == nil {
		ended = err
	}
	var err error
	if r.run.PatchUSD, err = r.patchCosts(ctx); err != nil {
		r.o.Log.Warn("the cost of patches is not in the report", "error", err)
	}
	r.run.State, r.run.Exit, r.run.Reason = archive.RunDone, ExitDone, ""
	switch {
	case ended == nil:
		switch {
		case r.run.Spent != "":
			r.run.Exit, r.run.Reason = ExitBudget, "a budget under policies is spent: "+r.run.Spent
		case exhausted(results):
			r.run.Exit, r.run.Reason = ExitBudget, r.spentLimits()+" ended the run before any planned stage was complete"
			if r.blocking != "" {
				r.run.Spent = r.blocking
				r.run.Reason = "the time ran out before any planned stage was complete: a limit under policies delayed evaluations: " + r.blocking
			}
		}
	case errors.Is(ended, night.ErrInterrupted) || errors.Is(ended, context.Canceled):
		r.run.State, r.run.Exit, r.run.Reason = archive.RunInterrupted, ExitInterrupted, r.interruption()
	default:
		r.run.State, r.run.Exit, r.run.Reason = archive.RunFailed, ExitInfrastructure, ended.Error()
		var failing interface{ Try() string }
		if errors.As(ended, &failing) {
			r.run.Try = failing.Try()
		}
	}
	_ = os.RemoveAll(r.scratch())
	if r.run.State == archive.RunDone {
		if err := r.o.RetryCode(); err != nil {
			r.o.Log.Warn("targets that took too long will not be tried again", "error", err)
		}
	}
	if err := r.writeEnding(); err != nil {
		r.o.Log.Warn("the end of the run was not recorded; if this process crashes before it exits, the run is repeated", "error", err)
	}
	e, err := r.entry("run.end", map[string]any{"exit": r.run.Exit, "state": r.run.State, "reason": r.run.Reason})
	if err != nil {
		return errors.Join(ended, err)
	}
	if err := r.o.Archive.FinishRun(ctx, r.run, e); err != nil {
		return errors.Join(ended, fmt.Errorf("recording the end of the run: %w", err))
	}
	if errors.Is(ended, bench.ErrRecorder) {
		return ended
	}
	return nil
}

// interruption returns the reason why a run was interrupted, according to the first
// signal.
func (r *runner) interruption() string {
	if errors.Is(context.Cause(r.o.Drain), night.ErrTerminated) {
		return "the system or another program ended it (SIGTERM)"
	}
	return "a person stopped it"
}

// spentLimits names the limits that ended the work on the agents.
func (r *runner) spentLimits() string {
	var names []string
	for _, l := range r.run.Limits {
		if name := limits.Limit(l.Bound).Noun(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return limits.Unknown.Noun()
	}
	return strings.Join(names, " and ")
}

// exhausted reports whether no agent completed any planned stage.
func exhausted(results []archive.AgentResult) bool {
	for _, res := range results {
		if res.Incomplete == "" || res.Blocks > 0 || res.SearchDone {
			return false
		}
	}
	return len(results) > 0
}

// note appends an entry about the run to the ledger.
func (r *runner) note(ctx context.Context, kind string, data any) error {
	e, err := r.entry(kind, data)
	if err != nil {
		return err
	}
	if _, err := r.o.Archive.Append(ctx, e); err != nil {
		return fmt.Errorf("writing the ledger: %w", err)
	}
	return nil
}

// entry returns a ledger entry about the run.
func (r *runner) entry(kind string, data any) (archive.LedgerEntry, error) {
	return archive.NewLedgerEntry(r.o.Now(), kind, r.run.ID, data)
}

// scratch returns the folder that holds the working directories.
func (r *runner) scratch() string {
	return filepath.Join(r.o.Workspace.StateDir(), "work")
}
