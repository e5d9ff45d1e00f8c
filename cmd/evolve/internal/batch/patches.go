package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/batch/tuning"
	"evolve/gates/review"
	"evolve/mutate/night"
)

// PatchNoteKind is the kind of the ledger entries that hold an [archive.PatchNote]. Their
// subject is the run.
const PatchNoteKind = "patch.night"

// NoProposal begins the text of a note about work that led to no proposal; the reason
// follows.
const NoProposal = "no proposal was made: "

const (
	// tuneShare is the share of a night's time reserved for tuning constants, if there are
	// any. The search gets half of it, because the gates need time as well.
	tuneShare = .1
	// patchShare is the share of the money reserved for the models that write and review
	// patches, and for trying out patches as agents, if any of these are in use.
	patchShare = .05
)

// Tuning is a target whose marked constants a night would tune.
type Tuning struct {
	Target string `json:"target"`
	// Constants holds the names of the constants. Cost describes the maximum cost of the
	// search, and Problem explains why there will be no search.
	Constants string `json:"constants,omitempty"`
	Cost      string `json:"cost,omitempty"`
	Problem   string `json:"problem,omitempty"`
}

// tunable is a target that may be tuned; found is nil if it could not be examined.
type tunable struct {
	Tuning
	found *tuning.Prospect
}

// findTunings finds the targets with constants to tune.
func (r *runner) findTunings() {
	if r.o.Patches == nil || r.o.SearchOnly() {
		return
	}
	for _, t := range r.o.Patches.Targets {
		p := tunable{Tuning: Tuning{Target: t.Name}}
		var err error
		switch p.found, err = tuning.Look(r.o.Patches, t); {
		case err != nil:
			p.Problem = err.Error()
		case p.found == nil:
			continue
		default:
			p.Constants, p.Cost, p.Problem = p.found.Names(), p.found.Cost(), p.found.Problem
		}
		r.tunings = append(r.tunings, p)
	}
}

// patches resumes patches whose gates were interrupted, tunes constants, has patches
// written, and submits the patches that agents requested. It does so once all agents are
// done, so that proposals of configs have the same numbers with or without patches, and no
// evaluation runs at the same time as a benchmark. In a night that was stopped, it records
// what agents requested and runs no gate. Failures here do not affect the night: the only
// error is [night.ErrInterrupted]. A resumed run does not repeat work that is recorded in
// the ledger; an interrupted search starts again.
func (r *runner) patches(ctx context.Context, results []archive.AgentResult) error {
	if r.o.Patches == nil {
		return nil
	}
	past, err := r.patchNotes(ctx)
	if err != nil {
		r.o.Log.Warn("reading the notes on patches failed", "error", err)
		return r.stopped(ctx)
	}
	r.run.Patches = nil // for a resumed run, the notes in the ledger count
	for _, n := range past {
		if n.run == r.run.ID && n.Origin == review.OriginBlocks {
			r.run.Patches = append(r.run.Patches, n.PatchNote)
		}
	}
	r.noteUnsearched()
	r.budget.Limit(r.o.Budget.USD, r.end)
	r.resumePatches(ctx)
	r.keepVersions(ctx, results)
	switch {
	case r.stopped(ctx) != nil:
		for _, n := range past {
			if n.run == r.run.ID && n.Origin != review.OriginBlocks {
				r.run.Patches = append(r.run.Patches, n.PatchNote)
			}
		}
	case !r.o.SearchOnly():
		r.proposeLeft(ctx)
		for _, p := range r.tunings {
			r.noteOnce(ctx, past, func(n archive.PatchNote) bool { return n.Origin == review.OriginConstants && n.Target == p.Target },
				func() (archive.PatchNote, error) { return r.tune(ctx, past, p) })
		}
		for i, res := range results {
			if r.o.Code.Found[res.Agent] != nil {
				continue // the search over the target's code has already made the target's patch
			}
			r.noteOnce(ctx, past, func(n archive.PatchNote) bool { return n.Origin == review.OriginModel && n.Agent == res.Agent },
				func() (archive.PatchNote, error) { return r.write(ctx, res.Agent, i) })
		}
	}
	if err := r.submitRequested(ctx); err != nil {
		r.o.Log.Warn("the patches that agents requested could not be submitted", "error", err)
	}
	return r.stopped(ctx)
}

// noteUnsearched notes the targets whose blocks the night was meant to search but could
// not. For the other targets it notes the uncommitted files.
func (r *runner) noteUnsearched() {
	note := func(target, words string) {
		if words != "" && r.o.asks(target) {
			r.run.Patches = append(r.run.Patches, archive.PatchNote{Target: target, Origin: review.OriginBlocks, Text: words})
		}
	}
	for _, u := range r.o.unsearched() {
		note(u.Target, "its blocks were not searched: "+u.Problem)
	}
	for _, name := range slices.Sorted(maps.Keys(r.o.Code.Found)) {
		note(name, r.o.Code.Found[name].Uncommitted())
	}
}

// stopped returns [night.ErrInterrupted] once a signal has stopped the night.
func (r *runner) stopped(ctx context.Context) error {
	if r.o.Drain.Err() != nil || ctx.Err() != nil {
		return night.ErrInterrupted
	}
	return nil
}

// pastNote is a note together with the id of the run that recorded it.
type pastNote struct {
	run string
	archive.PatchNote
}

func (r *runner) patchNotes(ctx context.Context) ([]pastNote, error) {
	var out []pastNote
	for e, err := range r.o.Archive.Ledger(ctx, 1) {
		if err != nil {
			return nil, fmt.Errorf("reading the notes on patches: %w", err)
		}
		n := pastNote{run: e.Subject}
		if e.Kind == PatchNoteKind && json.Unmarshal(e.Data, &n.PatchNote) == nil {
			out = append(out, n)
		}
	}
	return out, nil
}

// noteOnce calls work and records the note that it returns, unless this run already has a
// note for which same is true. A note with an error is recorded only in this process, so a
// resumed run tries again.
func (r *runner) noteOnce(ctx context.Context, past []pastNote, same func(archive.PatchNote) bool, work func() (archive.PatchNote, error)) {
	for _, n := range past {
		if n.run == r.run.ID && same(n.PatchNote) {
			r.run.Patches = append(r.run.Patches, n.PatchNote)
			return
		}
	}
	note, err := work()
	switch {
	case err == nil && note.Text == "":
		return // there was nothing to do
	case err != nil && (errors.Is(err, night.ErrInterrupted) || r.stopped(ctx) != nil):
		note.Text = "it was interrupted"
	case errors.Is(err, bench.ErrBudget):
		note.Text = "the budget or the deadline of the run left no room for it"
	case err != nil:
		note.Text = "it failed: " + err.Error()
		r.o.Log.Warn("processing a patch during the night failed", "target", note.Target, "origin", note.Origin, "agent", note.Agent, "error", err)
	default:
		if err := r.note(context.WithoutCancel(ctx), PatchNoteKind, note); err != nil {
			r.o.Log.Warn("the note on a patch could not be recorded", "error", err)
		}
	}
	r.run.Patches = append(r.run.Patches, note)
}

// tune searches for better values of one target's marked constants.
func (r *runner) tune(ctx context.Context, past []pastNote, p tunable) (archive.PatchNote, error) {
	note := archive.PatchNote{Target: p.Target, Origin: review.OriginConstants}
	if p.found == nil {
		return note, errors.New(p.Problem)
	}
	note.Ground = p.found.Ground
	for _, n := range past {
		if n.Settled && n.Target == p.Target && n.Ground == note.Ground {
			note.Text = fmt.Sprintf("nothing has changed since run %s, which found: %s", n.run, n.Text)
			return note, nil
		}
	}
	if err := r.o.Patches.MayAttempt(ctx, tuning.Author(p.Target)); err != nil {
		return refusedNote(note, err)
	}
	var until time.Time
	if !r.end.IsZero() {
		now := r.o.Now()
		until = now.Add(r.end.Sub(now) / 2)
	}
	bounded, free := r.cancelAtEnd(ctx)
	defer free()
	out, err := p.found.Tune(bounded, tuning.Options{Reviewer: r.o.Patches, Seed: r.run.Seed, Proceed: func() error { return r.proceed(bounded, until) }})
	if err != nil && bounded.Err() != nil {
		err = context.Cause(bounded)
	}
	note.Text, note.Runs, note.Settled = out.Text, out.Runs, out.Settled
	if err != nil || out.Submission == nil {
		return note, err
	}
	return r.proposePatch(ctx, note, *out.Submission)
}

// proceed returns an error with the reason why no new work may begin, or nil if it may.
func (r *runner) proceed(ctx context.Context, until time.Time) error {
	switch {
	case r.o.Drain.Err() != nil:
		return night.ErrInterrupted
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !until.IsZero() && !r.o.Now().Before(until):
		return bench.ErrBudget
	}
	return nil
}

// refusedNote adds the refusal in err to a note; it returns any other error unchanged.
func refusedNote(note archive.PatchNote, err error) (archive.PatchNote, error) {
	var refused *review.RefusedError
	if !errors.As(err, &refused) {
		return note, err
	}
	note.Text = before(NoProposal+refused.Text, note.Text)
	note.Settled = false // the result must not be lost in later nights
	return note, nil
}
