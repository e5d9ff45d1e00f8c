package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"evolve/archive"
	"evolve/cmd/evolve/internal/decide"
	"evolve/cmd/evolve/internal/patching"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports"
)

// unfinished is a decision that is not complete, as status and doctor print it.
type unfinished struct {
	Proposal string              `json:"proposal"`
	Action   string              `json:"action"`
	Stage    archive.IntentStage `json:"stage"`
	By       string              `json:"by"`
	// Next is the command that finishes it.
	Next string `json:"next"`
}

func unfinishedOf(ctx context.Context, a *archive.Archive) ([]unfinished, error) {
	list, err := decide.Unfinished(ctx, a)
	out := make([]unfinished, 0, len(list))
	for _, in := range list {
		out = append(out, unfinished{in.Proposal, in.Action, in.Stage, in.By, "evolve " + in.Action + " " + in.Proposal})
	}
	return out, err
}

// words describes what is left to do.
func (u unfinished) words() string {
	what := "the approval"
	if u.Action == "rollback" {
		what = "the rollback"
	}
	if u.Stage == archive.IntentAfter {
		return fmt.Sprintf("%s of %s is noted, and that adoption.after ended is not", what, u.Proposal)
	}
	return fmt.Sprintf("%s of %s by %s was cut off before its commit was noted", what, u.Proposal, reports.Visible(u.By))
}

// claimed takes the exclusive right to decide on a proposal; nil while another process
// has it.
func (sh *shell) claimed(root, id string) (*decide.Claim, error) {
	return decide.NewClaim(filepath.Join((&workspace.Workspace{Root: root}).StateDir(), "deciding", id))
}

// sweep finishes the decisions that killed processes began, once in a process, and prints
// that. A decision that it cannot finish blocks no command.
func (sh *shell) sweep(root string, left []archive.Intent) {
	w, err := workspace.Load(root, builtins())
	if err != nil {
		_, _ = fmt.Fprintf(sh.stderr, "what was begun of %s is not finished, for the workspace cannot be loaded: `evolve status` tells of it\n", left[0].Proposal)
		return
	}
	for _, in := range left {
		mine, err := sh.claimed(root, in.Proposal)
		if mine == nil && err == nil { // another process is deciding
			continue
		}
		if err == nil {
			_, _, err = sh.finish(sh.ctx, w, in.Proposal, "")
			mine.Release()
		}
		if err != nil {
			_, _ = fmt.Fprintf(sh.stderr, "what was begun of %s is not finished: %s\n", in.Proposal, reports.Visible(err.Error()))
		}
	}
}

// finish does the remaining steps of a decision on a proposal; the caller holds the
// claim. It returns the updated intent, which is [archive.IntentDone] without an action
// if nothing was left, and the result of the operator's program. next is the decision
// that follows, if any: a rejection withdraws an approval that has no commit.
func (sh *shell) finish(ctx context.Context, w *workspace.Workspace, id, next string) (archive.Intent, *decide.After, error) {
	nothing := archive.Intent{Stage: archive.IntentDone}
	lend := sh.opener(w.Root, "evolve")
	var was, in archive.Intent
	var state archive.ProposalState
	err := lend.Patiently(ctx, func(ctx context.Context, a *archive.Archive) (err error) {
		was, err = a.Intent(ctx, id)
		if errors.Is(err, archive.ErrNotFound) {
			was, err = nothing, nil
		}
		in = was
		if err != nil || was.Stage != archive.IntentCommit {
			return err
		}
		p, err := a.Proposal(ctx, id)
		if err != nil {
			return err
		}
		if p.Patch == nil {
			in, err = sh.desk(w, a).Finish(ctx, was)
		} else {
			desk := sh.patchReader(w.Root)
			desk.Archive, desk.Program, desk.Reached = patching.Held(a), len(w.Settings.Adoption.After) > 0, sh.reached
			in, err = desk.Finish(ctx, was)
		}
		if err == nil {
			p, err = a.Proposal(ctx, id)
		}
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
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(sh.stderr, format+"\n", args...) }
	switch {
	case in.Stage == archive.IntentCommit && next == "reject":
		return in, nil, nil
	case in.Stage == archive.IntentCommit:
		say("%s of %s stands, and its commit was not made: %s", what, id, sh.typed(again))
		return in, nil, nil
	case was.Stage == archive.IntentCommit && !decide.Carried(in.Action, state) && (in.Action == "approve" || state != archive.Adopted):
		say("nothing is left to do of %s of %s: it is %s", what, id, strings.ReplaceAll(string(state), "_", " "))
		return nothing, nil, nil
	case was.Stage == archive.IntentCommit && in.Commit == "":
		say("%s of %s was cut off before its commit was made; nothing was changed: %s", what, id, sh.typed(again))
		return in, nil, nil
	case was.Stage == archive.IntentCommit:
		say("%s of %s was cut off after its commit %s; it is noted", what, id, abbreviated(in.Commit))
	}
	done, err := sh.after(w, lend).Run(ctx, id)
	if done != nil {
		say("adoption.after of %s ran, attempt %d", id, done.Attempt)
	}
	return in, done, err
}

// after returns the starter of a workspace's program for decisions.
func (sh *shell) after(w *workspace.Workspace, lend patching.Lender) decide.Afterwards {
	return decide.Afterwards{Argv: w.Settings.Adoption.After, Dir: w.Root, Env: sh.env, Now: sh.now, Lend: lend.Patiently, Reached: sh.reached}
}

// opener is a lender that opens the archive without finishing decisions first.
func (sh *shell) opener(root, owner string) patching.Lender {
	return func(_ context.Context, work func(*archive.Archive) error) error {
		a, err := sh.openWriter(root, owner)
		if err != nil {
			return err
		}
		return errors.Join(work(a), a.Close())
	}
}
