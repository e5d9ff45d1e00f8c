package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/gates"
	"evolve/gates/review"
	"evolve/mutate/night"
)

// errTime reports that the run's time is up.
var errTime = fmt.Errorf("%w: the run's time is up", bench.ErrBudget)

// payForPatches reports whether a night must reserve money for patches.
func (o Options) payForPatches() bool {
	d := o.Patches
	if d == nil || len(d.Targets) == 0 {
		return false
	}
	return o.Writer != nil && !o.SearchOnly() ||
		slices.ContainsFunc(d.Targets, func(t review.Target) bool { return t.Agent != "" }) ||
		slices.ContainsFunc(d.CodeReviewers, func(r review.CodeReviewer) bool { return r.Cannot == "" })
}

// sharedAfter returns the share of the money that is reserved for the work that follows
// the work on agents: the work on patches and the rewriting of tools.
func (r *runner) sharedAfter() float64 {
	share := 0.
	if r.o.payForPatches() {
		share += patchShare
	}
	if len(r.jobs) > 0 {
		share += forgeShare
	}
	return share
}

// cancelAtEnd returns a context for long work that must end immediately at the first
// interrupt or when the run's time is up. Such work includes the gates of a patch and the
// benchmarks of a search.
func (r *runner) cancelAtEnd(ctx context.Context) (context.Context, func()) {
	drained, drain := context.WithCancelCause(ctx)
	unhook := context.AfterFunc(r.o.Drain, func() { drain(night.ErrInterrupted) })
	timed, stop := drained, context.CancelFunc(func() {})
	if !r.end.IsZero() {
		timed, stop = context.WithTimeoutCause(drained, r.end.Sub(r.o.Now()), errTime)
	}
	return timed, func() { stop(); unhook(); drain(nil) }
}

// runGates runs work that passes patches through gates. The work may spend the night's
// money but has no time limit per evaluation: if time runs out, the work as a whole stops
// and resumes on another night.
func (r *runner) runGates(ctx context.Context, work func(context.Context)) {
	bounded, free := r.cancelAtEnd(ctx)
	defer free()
	r.budget.Limit(r.o.Budget.USD, time.Time{})
	work(bounded)
	r.budget.Limit(r.o.Budget.USD, r.end)
}

// resumePatches runs the gates of the patches that wait as drafts.
func (r *runner) resumePatches(ctx context.Context) {
	r.runGates(ctx, func(ctx context.Context) {
		if ctx.Err() != nil {
			return
		}
		done, err := r.o.Patches.Resume(ctx)
		if err != nil && ctx.Err() == nil {
			r.o.Log.Warn("the patches that wait for their gates could not be resumed", "error", err)
		}
		for _, p := range done {
			r.noteResumed(r.reviewed(ctx, p))
		}
	})
}

// noteResumed records the result for a version that was waiting for its gates. The new note
// replaces this run's note on the same proposal.
func (r *runner) noteResumed(p archive.ProposalRecord) {
	if p.Patch.Origin != review.OriginBlocks {
		return
	}
	note := archive.PatchNote{Target: p.Patch.Target, Origin: p.Patch.Origin, Proposal: p.ID, State: p.State, GatesUSD: p.Patch.CostUSD}
	switch failed := slices.IndexFunc(p.Gates, func(v archive.GateVerdict) bool { return v.Verdict == string(gates.Failed) }); {
	case p.State == archive.Drafted:
		note.Text = p.ID + " waits for its gates: " + p.Patch.Waits + "; the next run resumes it"
	case p.State == archive.GateFailed && failed >= 0:
		note.Text = "the proposal had been waiting for its gates; " + p.Gates[failed].Gate + ": " + p.Gates[failed].Evidence
	default:
		note.Text = "the proposal had been waiting for its gates, and they have now run"
	}
	at := slices.IndexFunc(r.run.Patches, func(n archive.PatchNote) bool { return n.Proposal == p.ID })
	switch {
	case at < 0:
		r.run.Patches = append(r.run.Patches, note)
	case p.State != archive.Drafted: // the note already has the reason
		r.run.Patches[at] = note
	}
}

// proposePatch proposes a patch, has it reviewed, and records the result.
func (r *runner) proposePatch(ctx context.Context, note archive.PatchNote, s review.Submission) (archive.PatchNote, error) {
	var p archive.ProposalRecord
	var err error
	r.runGates(ctx, func(ctx context.Context) { p, err = r.submit(ctx, s) })
	if p.ID != "" {
		note.Proposal, note.State, note.GatesUSD = p.ID, p.State, p.Patch.CostUSD
	}
	var left *review.LeftError
	switch {
	case errors.As(err, &left):
		note.Text = before(left.Error()+"; the next run resumes it", note.Text)
	case err != nil:
		return refusedNote(note, err)
	}
	return note, nil
}

// before inserts a reason in front of the text of a note, because pages clip the end of
// the text.
func before(reason, text string) string {
	if text == "" {
		return reason
	}
	return reason + "; " + text
}

// submit proposes a patch and has it reviewed by another agent, if one can review it.
func (r *runner) submit(ctx context.Context, s review.Submission) (archive.ProposalRecord, error) {
	s.Run = cmp.Or(s.Run, r.run.ID)
	p, err := r.o.Patches.ProposePatch(ctx, s)
	if err != nil {
		return p, err
	}
	return r.reviewed(ctx, p), nil
}

// reviewed asks for a review of a patch that awaits a person's decision. If there is no
// review, the patch's record holds the reason.
func (r *runner) reviewed(ctx context.Context, p archive.ProposalRecord) archive.ProposalRecord {
	if p.State != archive.Awaiting && p.State != archive.HumanLane || p.Patch.Unreviewed != nil {
		return p
	}
	after, err := r.o.Patches.ReviewCode(ctx, p.ID, "")
	if err != nil {
		r.o.Log.Warn("a patch was not reviewed", "proposal", p.ID, "error", err)
	}
	if after.ID == "" {
		return p
	}
	return after
}

// submitRequested submits the patches that agents requested in this run. A resumed run does not
// submit a patch again.
func (r *runner) submitRequested(ctx context.Context) error {
	if r.o.Asked == nil {
		return nil
	}
	list, err := r.o.Asked(context.WithoutCancel(ctx), r.run.ID)
	if err != nil || len(list) == 0 {
		return err
	}
	before, err := r.proposed(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	for _, s := range list {
		if before[s.Author] {
			continue
		}
		r.runGates(ctx, func(ctx context.Context) { _, err = r.submit(ctx, s) })
		var refused *review.RefusedError
		var left *review.LeftError
		switch {
		case errors.As(err, &refused):
			r.o.Log.Warn("a requested patch was refused", "agent", s.Author, "target", s.Target, "why", refused.Text)
		case errors.As(err, &left):
			r.o.Log.Warn(left.Error() + "; the next run resumes it")
		case err != nil:
			return err
		}
	}
	return nil
}

// proposed returns the agents that have already submitted a patch of their own in this
// run.
func (r *runner) proposed(ctx context.Context) (map[string]bool, error) {
	out := map[string]bool{}
	for p, err := range r.o.Archive.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		if p.Patch != nil && p.Run == r.run.ID && p.Patch.Origin == review.OriginAgent {
			out[p.Patch.Author] = true
		}
	}
	return out, nil
}

// patchCosts returns what this run has paid for trying and reviewing patches, in USD,
// according to the ledger.
func (r *runner) patchCosts(ctx context.Context) (float64, error) {
	total := 0.
	for e, err := range r.o.Archive.Ledger(ctx, 1) {
		if err != nil {
			return total, fmt.Errorf("reading the cost of patches: %w", err)
		}
		var c review.Cost
		if e.Kind == review.CostKind && json.Unmarshal(e.Data, &c) == nil && c.Run == r.run.ID {
			total += c.USD
		}
	}
	return total, nil
}
