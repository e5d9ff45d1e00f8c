package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/notify"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/reports/model"
	"evolve/reports/render"
	"evolve/runtime/text"
)

func adoptCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "adopt", Usage: "proposals that are merged or closed on a git remote",
		Subcommands: []*cli.Command{{
			Name: "sync", Usage: "push branches of proposals, and record what was merged or closed on the remote",
			Description: "Needs `adoption: {via: branch}` in evolve.yaml; `evolve run` does the same at its start and its end.\n" +
				"It never pushes to the base branch and merges nothing. `evolve help decisions` describes it.",
			Flags: []cli.Flag{&cli.StringSliceFlag{Name: "merged", Usage: "`ID=COMMIT`: the commit on the base branch that merged a proposal; needed if other changes in it hide the merge"}},
			Action: func(c *cli.Context) error {
				if err := outside(sh); err != nil {
					return err
				}
				w, err := sh.load(c)
				if err != nil {
					return err
				}
				if w.Settings.Adoption.Via != workspace.ViaBranch {
					return exit.Errorf(exit.Usage, "`evolve help decisions` describes it", "evolve.yaml has no adoption: {via: branch}")
				}
				if _, err := sh.Notary(w.Root); err != nil {
					return err
				}
				merged, err := mergesOf(c.StringSlice("merged"))
				if err != nil {
					return err
				}
				states, err := syncBranches(c.Context, sh, w, merged)
				failed := false
				for _, s := range states {
					failed = failed || s.Trouble != ""
					delete(merged, s.Proposal)
				}
				for id := range merged {
					err = errors.Join(err, exit.Errorf(exit.Gate, "`evolve proposals` lists the states", "%s is not awaiting a merge", text.Quote(id)))
				}
				err = errors.Join(err, sh.show(map[string]any{"branches": append([]review.BranchState{}, states...)}, func() { printBranches(sh.console, states) }))
				if err == nil && failed {
					err = exit.Silent(exit.Infrastructure)
				}
				return err
			},
		}},
	}
}

// mergesOf returns the commits that a person names as merges of proposals, by proposal id.
// Each element of list has the form ID=COMMIT.
func mergesOf(list []string) (map[string]string, error) {
	out := map[string]string{}
	for _, one := range list {
		id, commit, ok := strings.Cut(one, "=")
		if !ok || id == "" || len(commit) < 7 || strings.Trim(commit, "0123456789abcdefABCDEF") != "" {
			return nil, exit.Errorf(exit.Usage, "write it like --merged P1=0123abc, with at least seven digits of the commit", "--merged %s is not ID=COMMIT", text.Quote(one))
		}
		out[id] = commit
	}
	return out, nil
}

// branchReviewer returns a Reviewer for the branches of proposals.
func branchReviewer(sh *shell, w *workspace.Workspace, lend review.WithStore) *review.Reviewer {
	rev := sh.Reviewer(w, lend)
	if rev.Branching != nil {
		rev.Branching.Text = func(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) (string, error) {
			said, err := branchText(ctx, sh, w, a, p)
			return sh.Scrub(w)(said), err
		}
	}
	return rev
}

// branchText returns the text of a proposal's pull request: the output of `evolve show
// --all` and the decision box of the proposal's night. The output is included because the
// reader may have no workspace.
func branchText(ctx context.Context, sh *shell, w *workspace.Workspace, a *archive.Archive, p archive.ProposalRecord) (string, error) {
	if p.Branch != nil { // the reader has the branch
		b := *p.Branch
		b.Pushed, b.Trouble = b.Name, ""
		p.Branch = &b
	}
	one, err := claimedOf(ctx, sh, a, w.Root, p)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	con := &console{stdout: &out, stderr: &out}
	if p.Patch != nil {
		v := patchViewOf(sh.PatchReader(w.Root), p, false)
		v.Addressed, v.Notes, v.Decisions = model.Addressed(p), one.notes, one.decisions
		v.Repository = filepath.Base(v.Repository) // the path is specific to this machine
		printPatch(con, v, true)
	} else {
		printProposal(con, one, true)
	}
	err = writeBoxOf(ctx, &out, a, p)
	return out.String(), err
}

// writeBoxOf writes the decision box of the night that made a proposal, without the box's
// commands.
func writeBoxOf(ctx context.Context, out *bytes.Buffer, a *archive.Archive, p archive.ProposalRecord) error {
	if p.Run == "" {
		return nil
	}
	r, err := model.Build(ctx, runsAsTheyAre{Archive: a, on: true}, p.Run)
	if errors.Is(err, archive.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("building the report of run %s: %w", p.Run, err)
	}
	i := slices.IndexFunc(r.Agents, func(one model.Agent) bool {
		return slices.ContainsFunc(one.Decision.Proposals, func(made model.Proposal) bool { return made.ID == p.ID })
	})
	if i < 0 {
		return nil
	}
	r.Agents, r.Volatile.Agents = r.Agents[i:i+1], r.Volatile.Agents[i:i+1]
	r.Agents[0].Decision.Commands = nil
	r.Volatile.Waiting, r.Volatile.Branches, r.Volatile.Patches = nil, nil, nil
	out.WriteByte('\n')
	return render.Box(out, r, render.TerminalOptions{})
}

// syncBranches pushes and checks the branches of a workspace, and runs adoption.after for
// each proposal that was decided.
func syncBranches(ctx context.Context, sh *shell, w *workspace.Workspace, merged map[string]string) ([]review.BranchState, error) {
	var list []archive.ProposalRecord
	err := wire.LookIfThere(w.Root, func(a *archive.Archive) (err error) {
		list, err = allProposals(ctx, a)
		return err
	})
	if err != nil {
		return nil, err
	}
	rev := branchReviewer(sh, w, sh.Lender(w.Root, "evolve adopt"))
	if rev.Branching != nil {
		rev.Branching.Merged = merged
	}
	states, err := rev.SyncBranches(ctx, list)
	if runs := runsOf(list, states); len(runs) > 0 {
		renewAfter(ctx, sh, w.Root, runs...)
	}
	for _, s := range states {
		if s.Did != "merged" && s.Did != "reverted" || len(rev.Program) == 0 {
			continue
		}
		after, failed := rev.RunProgram(ctx, s.Proposal)
		if failed != nil {
			sh.Log.Warn("the result of adoption.after was not recorded in the ledger", "proposal", s.Proposal, "error", failed)
		} else if after != nil && after.Problem != "" {
			sh.eprintf("warning: adoption.after of %s failed: %s; the decision remains in force\n", s.Proposal, text.Visible(after.Problem))
		}
	}
	return states, err
}

// runsOf returns the runs of the proposals for which a step was taken.
func runsOf(list []archive.ProposalRecord, states []review.BranchState) []string {
	var runs []string
	for _, p := range list {
		if slices.ContainsFunc(states, func(s review.BranchState) bool { return s.Proposal == p.ID && s.Did != "" }) {
			runs = append(runs, p.Run)
		}
	}
	return runs
}

// branchTrouble is the subject of the event that reports that branches could not be pushed
// or checked.
const branchTrouble = "branches"

// nightBranches calls syncBranches at the start and at the end of a night. Failures do not
// end the night, and at the end of a night, t notifies people of them. decided reports
// whether something was decided. stopped is set only if a person stopped the work.
func nightBranches(sh *shell, w *workspace.Workspace, t *teller) (decided bool, stopped error) {
	ctx, stop := sh.stoppable()
	defer stop()
	states, err := syncBranches(ctx, sh, w, nil)
	if err != nil && !errors.Is(err, archive.ErrLocked) {
		sh.eprintf("warning: the branches of proposals could not be synchronized: %s; the run continues\n", text.Visible(err.Error()))
	}
	var trouble []string
	changed := false
	for _, s := range states {
		decided = decided || s.Did == "merged" || s.Did == "closed" || s.Did == "reverted"
		changed = changed || s.Did != "" || s.Trouble != ""
		if s.Trouble != "" || s.State == archive.Rejected && s.Note != "" {
			trouble = append(trouble, branchWords(s))
		} else if (s.Did != "" || s.Note != "") && !sh.quiet && !sh.json {
			sh.eprintf("%s\n", branchWords(s))
		}
	}
	for _, words := range trouble {
		sh.eprintf("warning: %s\n", words)
	}
	if t == nil || ctx.Err() != nil {
		return decided, context.Cause(ctx)
	}
	if len(trouble) > 0 {
		e := notify.Event{
			Kind: workspace.EventFailed, Subject: branchTrouble,
			Title: strings.Join(trouble, "; "), Commands: []string{t.anywhere().command("evolve adopt sync")},
		}
		t.holds[e.Key()] = true
		if len(t.set.Channels) > 0 {
			t.put(w, notify.Message{Run: t.run.ID, Exit: t.run.Exit, Events: []notify.Event{e}})
		}
	}
	if changed && t.run.ID != "" {
		t.warn(wire.LookIfThere(w.Root, func(a *archive.Archive) error {
			report, err := model.Build(ctx, runsAsTheyAre{Archive: a}, t.run.ID)
			if err == nil {
				_, err = writeReports(ctx, w.Root, a, report)
			}
			return err
		}))
	}
	return decided, nil
}

// atRemote synchronizes the branches with the remote before and after a decision made here,
// and prints what it finds about the proposal's branch.
func atRemote(ctx context.Context, sh *shell, w *workspace.Workspace, p archive.ProposalRecord) {
	if w.Settings.Adoption.Via != workspace.ViaBranch || p.Branch == nil {
		return
	}
	states, err := syncBranches(ctx, sh, w, nil)
	if err != nil {
		sh.eprintf("warning: the branches of proposals could not be synchronized: %s\n", text.Visible(err.Error()))
	}
	for _, s := range states {
		if s.Proposal == p.ID && (s.Did != "" || s.Note != "" || s.Trouble != "") {
			sh.eprintf("%s\n", branchWords(s))
		}
	}
}

// branchWords describes the state in which a branch was found, and the step that was taken.
func branchWords(s review.BranchState) string {
	at := fmt.Sprintf("%s of %s", s.Branch, s.Remote)
	var words string
	switch {
	case s.Did == "pushed":
		words = fmt.Sprintf("was pushed as %s, to be merged into %s", at, s.Base)
	case s.Did == "merged":
		words = fmt.Sprintf("was merged into %s of %s as %s by %s: it is adopted", s.Base, s.Remote, wire.Abbreviated(s.Commit), s.By)
	case s.Did == "closed":
		words = fmt.Sprintf("is rejected: %s was deleted without a merge", at)
	case s.Did == "reverted":
		words = fmt.Sprintf("was reverted on %s of %s with commit %s by %s: it is rolled back", s.Base, s.Remote, wire.Abbreviated(s.Commit), s.By)
	case s.Did == "deleted":
		words = fmt.Sprintf("is %s: %s was deleted", s.State.Name(), at)
	case s.State == archive.Adopted:
		words = fmt.Sprintf("is adopted by commit %s on %s", wire.Abbreviated(s.Commit), s.Base)
	case s.State == archive.Awaiting || s.State == archive.HumanLane:
		words = fmt.Sprintf("awaits a merge of %s", at)
	default:
		words = fmt.Sprintf("is %s; its branch is %s", s.State.Name(), at)
	}
	for _, more := range []string{s.Note, s.Trouble} {
		if more != "" {
			words += "; " + more
		}
	}
	return text.Visible(s.Proposal + " " + words)
}

func printBranches(con *console, states []review.BranchState) {
	if len(states) == 0 {
		con.printf("no proposal awaits a merge\n")
	}
	for _, s := range states {
		con.printf("%s%s\n", orElse("! ", "  ", s.Trouble != ""), branchWords(s))
	}
}

// printBranch prints how a proposal is decided at a remote.
func printBranch(con *console, indent string, b *model.Branch) {
	if b != nil {
		con.printf("%s%s\n", indent, text.Visible(b.Words()))
	}
}
