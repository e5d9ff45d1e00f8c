package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate/night"
)

// start writes the run's record and its ledger entry, and ends runs that were left open.
func (r *runner) start(ctx context.Context) error {
	o := r.o
	if err := r.abandonOthers(ctx); err != nil {
		return err
	}
	now := o.Now().Round(0) // deadlines use the wall clock, which continues while the machine is suspended
	if r.run.Started.IsZero() {
		r.run.Started = now
	}
	earlier, err := r.countEarlier(ctx, now)
	if err != nil {
		return err
	}
	r.stop, r.byDeadline = r.stopAt(now)
	if r.end = r.stop; len(r.tunings) > 0 && !r.stop.IsZero() {
		r.stop = r.stop.Add(-time.Duration(float64(r.stop.Sub(now)) * tuneShare))
	}
	r.slots = night.NewSlots(r.run.Concurrency)
	r.budget = bench.NewBudget(o.Budget.USD, r.stop, o.Now)
	r.budget.Keep(earlier, func(a bench.Account) error {
		return o.Archive.PutAccount(context.WithoutCancel(ctx), r.run.ID, a)
	})
	if o.Patches != nil {
		o.Patches.Run, o.Patches.Budget = r.run.ID, r.budget
	}
	r.noteCommits()
	if err := r.freezeExperience(ctx); err != nil {
		return err
	}
	if err := o.Archive.PutRun(ctx, r.run); err != nil {
		return fmt.Errorf("recording the run: %w", err)
	}
	kind := "run.start"
	if r.run.Resumed > 0 {
		kind = "run.resume"
	}
	return r.note(ctx, kind, map[string]any{"plans": r.plans, "seed": r.run.Seed})
}

// stopAt returns the time at which work that begins now must end, or the zero time if there
// is no limit, and reports whether the deadline determines it.
func (r *runner) stopAt(now time.Time) (stop time.Time, byDeadline bool) {
	return r.o.stopAt(now, r.run.Worked)
}

// stopAt is like [runner.stopAt], for a night that has already worked for the given time.
func (o *Options) stopAt(now time.Time, worked time.Duration) (stop time.Time, byDeadline bool) {
	if o.Budget.Time > 0 {
		stop = now.Add(o.Budget.Time - worked)
	}
	if !o.Until.IsZero() {
		if until := o.Until.Add(-drainReserve(o.Until.Sub(now))); stop.IsZero() || until.Before(stop) {
			return until, true
		}
	}
	return stop, false
}

// countEarlier returns the money spent by the earlier processes of a resumed run. It also
// adds the time that they worked, according to the run's evaluations, to the run's working
// time, because the limits apply to the whole run. An older version of evolve stored no
// account of the money; for its runs the costs of the evaluations are summed up instead.
func (r *runner) countEarlier(ctx context.Context, now time.Time) (bench.Account, error) {
	var paid bench.Account
	since := r.run.Since
	r.run.Since = now
	if r.run.Resumed == 0 {
		return paid, nil
	}
	if since.IsZero() {
		since = r.run.Started
	}
	last := since
	for _, a := range r.run.Agents {
		for e, err := range r.o.Archive.Evaluations(ctx, r.run.ID, a) {
			if err != nil {
				return paid, fmt.Errorf("counting the time and cost of the run: %w", err)
			}
			if e.Time.After(last) && !e.Time.After(now) {
				last = e.Time
			}
			if !e.Cached {
				paid.USD += e.Paid()
			}
		}
	}
	r.run.Worked += last.Sub(since)
	account, err := r.o.Archive.Account(ctx, r.run.ID)
	if errors.Is(err, archive.ErrNotFound) {
		return paid, nil
	}
	return account, err
}

// abandonOthers marks as interrupted all other runs that are recorded as running: their
// processes died, and their plans no longer fit.
func (r *runner) abandonOthers(ctx context.Context) error {
	for other, err := range r.o.Archive.Runs(ctx) {
		if err != nil {
			return fmt.Errorf("reading the runs: %w", err)
		}
		if other.State == archive.RunRunning && other.ID != r.run.ID {
			other.State, other.Exit = archive.RunInterrupted, ExitInterrupted
			other.Reason = "its process died or could not record the end of the run, and a run with a different plan was started later; the evaluations are kept"
			if err := r.o.Archive.PutRun(ctx, other); err != nil {
				return fmt.Errorf("closing run %s: %w", other.ID, err)
			}
		}
	}
	return nil
}

// drainReserve returns the time that is reserved before a deadline for finishing the work
// under way and for the report: a twentieth of the remaining time, between 5 s and 2 min,
// but at most half of the remaining time.
func drainReserve(left time.Duration) time.Duration {
	return max(min(left/20, 2*time.Minute), min(5*time.Second, left/2))
}
