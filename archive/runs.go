package archive

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
)

func runKey(number int) key {
	return newKey(tableRun).number(math.MaxUint64 - uint64(number))
}

func runIDKey(id string) key { return newKey(tableRunID).text(id) }

func partKey(table byte, run, agentID string) key {
	return newKey(table).text(run).text(agentID)
}

// PutRun stores a run, replacing the record with the same id. It fails if the run's number
// belongs to another run.
func (a *Archive) PutRun(ctx context.Context, r Run) error {
	return a.change(ctx, "store run "+r.ID, func(b *batch) error { return a.replaceRun(ctx, b, r) })
}

// FinishRun does what [Archive.PutRun] does and adds a ledger entry, in one synced
// transaction.
func (a *Archive) FinishRun(ctx context.Context, r Run, e LedgerEntry) error {
	return a.change(ctx, "store run "+r.ID, func(b *batch) error {
		if err := a.replaceRun(ctx, b, r); err != nil {
			return err
		}
		_, err := a.chain(ctx, b, e)
		return err
	})
}

// replaceRun adds r to a batch. It fails if the id or the number of r contradicts a stored
// run.
func (a *Archive) replaceRun(ctx context.Context, b *batch, r Run) error {
	if r.ID == "" || r.Number < 1 {
		return errors.New("a run needs an id and a number of at least 1")
	}
	had, err := a.number(ctx, runIDKey(r.ID))
	if err != nil {
		return err
	}
	if had != 0 && had != uint64(r.Number) {
		return fmt.Errorf("its number is %d, not %d", had, r.Number)
	}
	other, err := document[Run](ctx, a, runKey(r.Number))
	switch {
	case err == nil && other.ID != r.ID:
		return fmt.Errorf("its number %d belongs to run %s", r.Number, other.ID)
	case err != nil && !errors.Is(err, ErrNotFound):
		return err
	}
	return putRun(b, r)
}

func putRun(b *batch, r Run) error {
	r.Started, r.Ended, r.Until, r.Since = normalizeTime(r.Started), normalizeTime(r.Ended), normalizeTime(r.Until), normalizeTime(r.Since)
	b.put(runIDKey(r.ID), encodeNumber(uint64(r.Number)))
	return putDocument(b, runKey(r.Number), r)
}

// Run finds a run by id or by number ("3"). If name is empty, Run returns the latest run.
func (a *Archive) Run(ctx context.Context, name string) (Run, error) {
	if name == "" {
		for r, err := range a.Runs(ctx) {
			return r, err
		}
		return Run{}, fmt.Errorf("a run: %w", ErrNotFound)
	}
	n, err := a.number(ctx, runIDKey(name))
	if err != nil {
		return Run{}, fmt.Errorf("run %q: %w", name, err)
	}
	if n == 0 {
		if n, err = strconv.ParseUint(name, 10, 63); err != nil {
			return Run{}, fmt.Errorf("run %q: %w", name, ErrNotFound)
		}
	}
	return named[Run](ctx, a, runKey(int(n)), "run %q", name)
}

// Runs yields all runs, the latest first.
func (a *Archive) Runs(ctx context.Context) iter.Seq2[Run, error] {
	return documents[Run](ctx, a, "list the runs", newKey(tableRun), nil)
}

// PutPlan stores the plan of a run for one agent.
func (a *Archive) PutPlan(ctx context.Context, p AgentPlan) error {
	return a.change(ctx, "store the plan for "+p.Agent, func(b *batch) error {
		return putDocument(b, partKey(tablePlan, p.Run, p.Agent), p)
	})
}

// PutResult stores the result of a run for one agent.
func (a *Archive) PutResult(ctx context.Context, r AgentResult) error {
	return a.change(ctx, "store the result for "+r.Agent, func(b *batch) error {
		return putDocument(b, partKey(tableResult, r.Run, r.Agent), r)
	})
}

// Plan returns the plan of a run for one agent.
func (a *Archive) Plan(ctx context.Context, run, agentID string) (AgentPlan, error) {
	return named[AgentPlan](ctx, a, partKey(tablePlan, run, agentID), "plan of run %s for %q", run, agentID)
}

// Results yields the results of every run and agent.
func (a *Archive) Results(ctx context.Context) iter.Seq2[AgentResult, error] {
	return documents[AgentResult](ctx, a, "list the results", newKey(tableResult), nil)
}

// Result returns the result of a run for one agent. If the run has been resumed since an
// unfinished result was stored, and has not ended, Result returns [ErrNotFound], because
// the stored result counts fewer evaluations than the archive holds.
func (a *Archive) Result(ctx context.Context, run, agentID string) (AgentResult, error) {
	r, err := named[AgentResult](ctx, a, partKey(tableResult, run, agentID), "result of run %s for %q", run, agentID)
	if err != nil || r.Finished {
		return r, err
	}
	now, err := a.Run(ctx, run)
	switch {
	case errors.Is(err, ErrNotFound):
		return r, nil // a run that is not stored was not resumed
	case err != nil:
		return AgentResult{}, err
	case now.Ended.IsZero() && r.Resumed < now.Resumed:
		return AgentResult{}, fmt.Errorf("result of run %s for %q: the run has been resumed since the result was stored: %w", run, agentID, ErrNotFound)
	}
	return r, nil
}
