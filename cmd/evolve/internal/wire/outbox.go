package wire

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/runtime/text"
)

// Unfinished is a decision that is not complete, in the form in which status and doctor
// print it.
type Unfinished struct {
	Proposal string              `json:"proposal"`
	Action   string              `json:"action"`
	Stage    archive.IntentStage `json:"stage"`
	By       string              `json:"by"`
	// Next is the command that finishes the decision.
	Next string `json:"next"`
}

// UnfinishedDecisions lists the decisions that are not complete.
func UnfinishedDecisions(ctx context.Context, a *archive.Archive) ([]Unfinished, error) {
	list, err := review.Unfinished(ctx, a)
	out := make([]Unfinished, 0, len(list))
	for _, in := range list {
		out = append(out, Unfinished{in.Proposal, in.Action, in.Stage, in.By, "evolve " + in.Action + " " + in.Proposal})
	}
	return out, err
}

// String describes the remaining work.
func (u Unfinished) String() string {
	what := "the approval"
	if u.Action == "rollback" {
		what = "the rollback"
	}
	if u.Stage == archive.IntentAfter {
		return fmt.Sprintf("%s of %s is recorded, but adoption.after is not recorded as finished", what, u.Proposal)
	}
	return fmt.Sprintf("%s of %s by %s was interrupted before its commit was recorded", what, u.Proposal, text.Visible(u.By))
}

// Claim acquires the exclusive right to decide on a proposal. It returns nil while another
// process has that right.
func Claim(root, id string) (*review.Lock, error) {
	return review.NewLock(filepath.Join((&workspace.Workspace{Root: root}).StateDir(), "deciding", id))
}

// sweep finishes the decisions that killed processes began, and prints what became of them.
// A process calls it only once. A decision that sweep cannot finish does not block any
// command.
func (h *Host) sweep(root string, left []archive.Intent) {
	w, err := Load(root)
	if err != nil {
		_, _ = fmt.Fprintf(h.Stderr, "the decision on %s was not carried out, because the workspace cannot be loaded; `evolve status` shows the error\n", left[0].Proposal)
		return
	}
	for _, in := range left {
		mine, err := Claim(root, in.Proposal)
		if mine == nil && err == nil { // another process is deciding
			continue
		}
		if err == nil {
			_, _, err = h.Finish(h.Ctx, w, in.Proposal, "")
			mine.Release()
		}
		if err != nil {
			_, _ = fmt.Fprintf(h.Stderr, "the decision on %s was not carried out: %s\n", in.Proposal, text.Visible(err.Error()))
		}
	}
}

// Finish carries out the remaining steps of a decision on a proposal. The caller must hold
// the claim. Finish returns the updated intent and the result of the operator's program. If
// no step remained, the intent has the stage [archive.IntentDone] and no action. next is
// the decision that the caller makes afterwards, if any: with "reject", an approval that
// has no commit is left alone, because the rejection withdraws it.
func (h *Host) Finish(ctx context.Context, w *workspace.Workspace, id, next string) (archive.Intent, *review.After, error) {
	nothing := archive.Intent{Stage: archive.IntentDone}
	lend := h.UnsweptLender(w.Root, "evolve")
	var was, in archive.Intent
	var state archive.ProposalState
	err := lend.RetryLocked(ctx, h.Sleep, func(ctx context.Context, a *archive.Archive) (err error) {
		was, err = a.Intent(ctx, id)
		if errors.Is(err, archive.ErrNotFound) {
			was, err = nothing, nil
		}
		in = was
		if err != nil || was.Stage != archive.IntentCommit {
			return err
		}
		if in, err = h.Reviewer(w, review.Opened(a)).Finish(ctx, was); err != nil {
			return err
		}
		p, err := a.Proposal(ctx, id)
		state = p.State
		return err
	})
	if err != nil || was.Stage == archive.IntentDone {
		return nothing, nil, err
	}
	what, again := "the approval", "evolve approve "+id
	if in.Action == "rollback" {
		what, again = "the rollback", "evolve rollback "+id
	}
	warn := func(format string, args ...any) { _, _ = fmt.Fprintf(h.Stderr, format+"\n", args...) }
	switch {
	case in.Stage == archive.IntentCommit && next == "reject":
		return in, nil, nil
	case in.Stage == archive.IntentCommit:
		warn("%s of %s is recorded, but its commit was not made; to make it, run %s", what, id, h.Command(again))
		return in, nil, nil
	case was.Stage == archive.IntentCommit && !review.Carried(in.Action, state) && (in.Action == "approve" || state != archive.Adopted):
		warn("nothing is left to do for %s of %s: the proposal is %s", what, id, state.Name())
		return nothing, nil, nil
	case was.Stage == archive.IntentCommit && in.Commit == "":
		warn("%s of %s was interrupted before its commit was made; nothing was changed; to try again, run %s", what, id, h.Command(again))
		return in, nil, nil
	case was.Stage == archive.IntentCommit:
		warn("%s of %s was interrupted after its commit %s, and has now been recorded", what, id, Abbreviated(in.Commit))
	}
	done, err := h.Reviewer(w, lend).RunProgram(ctx, id)
	if done != nil {
		warn("adoption.after ran for the proposal %s (attempt %d)", id, done.Attempt)
	}
	return in, done, err
}

// Abbreviated shortens a commit id.
func Abbreviated(commit string) string { return commit[:min(12, len(commit))] }
