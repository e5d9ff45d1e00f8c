package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/reports/model"
	"evolve/runtime/text"
)

// decision is a command with which a person decides on a proposal.
type decision struct {
	name, usage, about string
	flags              []cli.Flag
	// states holds the proposal states in which the question is asked. In other states the
	// decision is refused, with the reason.
	states []archive.ProposalState
	// plan describes what will happen, for use in the question.
	plan func(archive.ProposalRecord) string
	do   func(*review.Reviewer, context.Context, string, review.Decision) (review.Done, error)
	// done describes what has happened, and which steps are possible next.
	done func(*shell, review.Done) string
	// reasoned reports whether the decision requires a reason.
	reasoned bool
	// commits reports whether the decision makes a commit.
	commits bool
}

func approving() decision {
	return decision{
		name: "approve", usage: "adopt a proposal with one commit on the branch that is checked out", commits: true,
		about:  "An approval is refused if what the proposal depends on has changed since it was measured, if a gate does not pass, or if files that the proposal would change have uncommitted changes. If the workspace is not in a repository, one can be created: the files in its first commit, which are only the workspace's own, are listed before you are asked to confirm.",
		flags:  []cli.Flag{&cli.StringFlag{Name: "override-reason", Usage: "approve a flagged proposal anyway, for the `REASON`"}},
		states: []archive.ProposalState{archive.Awaiting, archive.HumanLane, archive.Approved},
		plan:   func(p archive.ProposalRecord) string { return "adopt " + p.Title },
		do:     (*review.Reviewer).Approve,
		done: func(sh *shell, done review.Done) string {
			p := done.Proposal
			if p.Kind == archive.KindAutonomy {
				return fmt.Sprintf("%s has autonomy level %d from its next turn on\n\n  to undo it    %s", text.Visible(p.Agent), p.Autonomy.To,
					sh.command("evolve autonomy lower "+p.Agent+` --reason "…"`))
			}
			return fmt.Sprintf("adopted %s as commit %s\n\n  to undo it    %s", text.Visible(p.Title), wire.Abbreviated(p.AdoptedCommit), sh.command("evolve rollback "+p.ID))
		},
	}
}

func rejecting() decision {
	return decision{
		name: "reject", usage: "close a proposal, with a reason", reasoned: true,
		about: "The proposal's commit stays on its ref, and your reason is recorded in the ledger.",
		plan:  func(p archive.ProposalRecord) string { return "reject " + p.Title },
		do:    (*review.Reviewer).Reject,
		done:  func(_ *shell, done review.Done) string { return "rejected " + text.Visible(done.Proposal.Title) },
	}
}

func rollingBack() decision {
	return decision{
		name: "rollback", usage: "undo an adoption with a new commit that restores the earlier state", commits: true,
		about: "History is kept: nothing is rewritten. If files have changed since, the command lists them and does nothing. " +
			"If a later adoption replaced the change, roll that one back first.",
		states: []archive.ProposalState{archive.Adopted},
		plan: func(p archive.ProposalRecord) string {
			return "undo " + p.Title + " and restore the " + subject(p) + " before it"
		},
		do: (*review.Reviewer).Rollback,
		done: func(_ *shell, done review.Done) string {
			p := done.Proposal
			if done.Branch != "" {
				return fmt.Sprintf("the rollback of %s is proposed as branch %s on %s; merging that branch undoes the adoption", text.Visible(p.Title), text.Visible(done.Branch), text.Visible(p.Branch.Remote))
			}
			verb := orElse("restores the "+subject(p)+" before it", "records it; the files were already in their earlier state", !done.Restored)
			return fmt.Sprintf("rolled back %s: commit %s %s", text.Visible(p.Title), wire.Abbreviated(p.Decision.Commit), verb)
		},
	}
}

func decisionCommand(sh *shell, d decision) *cli.Command {
	return &cli.Command{
		Name: d.name, Usage: d.usage, Description: d.about, ArgsUsage: "ID",
		Flags:  append(decidingFlags("the `REASON`, for the ledger and the commit"), d.flags...),
		Action: func(c *cli.Context) error { return decideProposal(sh, c, d) },
	}
}

func byFlag() cli.Flag {
	return &cli.StringFlag{Name: "by", Usage: "who decides, as `NAME` or \"Name <mail>\"; the git user by default"}
}

// decidingFlags returns the flags of every command with which a person decides.
func decidingFlags(reason string) []cli.Flag {
	return []cli.Flag{
		byFlag(),
		&cli.StringFlag{Name: "reason", Usage: reason},
		&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask for confirmation; needed if there is no terminal"},
	}
}

// mayDecide refuses a decision inside a run or a sandbox, and a decision without a required
// reason.
func mayDecide(sh *shell, c *cli.Context, name string, reasoned bool) error {
	if err := outside(sh); err != nil {
		return err
	}
	if reasoned {
		return needsReason(name, c.String("reason"), "add --reason \"…\", for later readers")
	}
	return nil
}

// needsReason refuses a decision whose reason is empty. The hint depends on where the
// reason is given.
func needsReason(name, reason, hint string) error {
	if strings.TrimSpace(reason) != "" {
		return nil
	}
	return exit.Errorf(exit.Usage, hint, "%s needs a reason", name)
}

func decideProposal(sh *shell, c *cli.Context, d decision) error {
	if err := mayDecide(sh, c, d.name, d.reasoned); err != nil {
		return err
	}
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	if _, err := sh.Notary(w.Root); err != nil {
		return err
	}
	// The grounds for a decision are read from the archive. If a run holds the archive,
	// they are read through that run, which answers slowly while it is busy.
	if err := sh.Free(w.Root); err != nil {
		return err
	}
	p, err := peek(c, w.Root, proposalOf)
	if err != nil {
		return err
	}
	if err := needsComment(d, p, c.String("reason")); err != nil {
		return err
	}
	word := review.Decision{Reason: c.String("reason"), OverrideReason: c.String("override-reason")}
	word, shown, err := weigh(c.Context, sh, w, d, p, word, func() (string, error) { return decider(sh, c, w.Root) })
	if err != nil {
		return err
	}
	if asks := d.reasoned || slices.Contains(d.states, p.State); asks && !c.Bool("yes") {
		if err := confirm(c.Context, sh, p, d.plan(p), shown, changesOf(p), word.Initial); err != nil {
			return err
		}
	} else if !sh.quiet {
		printGrounds(sh.stderr, shown)
		printFounding(sh.stderr, word.Initial)
	}
	done, err := pronounce(c.Context, sh, w, d, p, word)
	if err != nil {
		return err
	}
	if sh.json {
		view := viewOf(done.Proposal)
		view.Later, view.After, view.RollbackBranch = done.Later, done.after, done.Branch
		return sh.printJSON(view)
	}
	words := d.done(sh, done.Done)
	if p.State == archive.Approved && done.Proposal.State == archive.Rejected {
		words += "\nits approval was withdrawn; none of its changes were committed"
	}
	_, err = fmt.Fprintln(sh.stdout, words)
	printFollowing(sh.console, done)
	return err
}

// weigh checks whether a decision can be put to the person. It adds the deciding person,
// and the files for the first commit of a new repository, to word. It returns the
// extended word and the lines that precede the question.
func weigh(ctx context.Context, sh *shell, w *workspace.Workspace, d decision, p archive.ProposalRecord, word review.Decision, by func() (string, error)) (_ review.Decision, shown []string, err error) {
	if d.name == "approve" {
		if err := sh.Reviewer(w, nil).MergeOnly(p); err != nil {
			return word, nil, err
		}
	}
	if word.By, err = by(); err != nil {
		return word, nil, err
	}
	if word.Initial, err = founding(sh, w, d, p); err != nil {
		return word, nil, err
	}
	if d.commits && undecided(p) {
		err := wire.Look(w.Root, func(a *archive.Archive) (err error) {
			shown, err = grounds(ctx, a, p, sh.Now())
			return err
		})
		if err != nil {
			return word, nil, err
		}
		for _, place := range model.Addressed(p) {
			shown = append(shown, "! "+place)
		}
	}
	return word, shown, notLost(ctx, w.Root, d, p, word)
}

// changesOf returns the changes that a decision on a proposal makes; for a rollback these
// undo the proposal's changes.
func changesOf(p archive.ProposalRecord) []archive.Change {
	if p.State == archive.Adopted {
		return reversed(p.Changes)
	}
	return p.Changes
}

// reversed returns the changes that undo the given ones.
func reversed(changes []archive.Change) []archive.Change {
	back := make([]archive.Change, len(changes))
	for i, ch := range changes {
		back[i] = archive.Change{Param: ch.Param, Old: ch.New, New: ch.Old}
	}
	return back
}

// outside returns an error if the process is inside a run or a sandbox, because no decision
// may be made there.
func outside(sh *shell) error {
	if sh.Env.Get("EVOLVE_INSIDE") != "" {
		return exit.Errorf(exit.Gate, "a person must decide, outside of any run", "decisions cannot be made from inside a run or a sandbox")
	}
	return nil
}

// peek reads the record that the first argument names, and then closes the archive, so that
// a run need not wait for a person who has left the terminal.
func peek[T any](c *cli.Context, root string, find func(context.Context, *archive.Archive, string) (T, error)) (found T, err error) {
	err = wire.Look(root, func(a *archive.Archive) error {
		found, err = find(c.Context, a, c.Args().First())
		return err
	})
	return found, err
}

func proposalOf(ctx context.Context, a *archive.Archive, id string) (archive.ProposalRecord, error) {
	p, err := a.Proposal(ctx, id)
	if errors.Is(err, archive.ErrNotFound) {
		return p, exit.Errorf(exit.Usage, nearRecord(a.Proposals(ctx), func(p archive.ProposalRecord) string { return p.ID }, id, "`evolve proposals --all` lists them"), "there is no proposal %q", id)
	}
	if err != nil {
		return p, fmt.Errorf("reading proposal %s: %w", id, err)
	}
	return p, nil
}

// decided is the result of a decision, with the result of the operator's program, which is
// nil if there is none.
type decided struct {
	review.Done
	after *review.After
}

// pronounce carries out a decision and starts the operator's program. It keeps the
// archive open only while the archive is needed, because the gates of a patch may take
// minutes.
func pronounce(ctx context.Context, sh *shell, w *workspace.Workspace, d decision, p archive.ProposalRecord, word review.Decision) (decided, error) {
	if err := review.Discreet(word.Reason, word.OverrideReason); err != nil {
		return decided{}, err
	}
	if err := notLost(ctx, w.Root, d, p, word); err != nil {
		return decided{}, err
	}
	lend := sh.Lender(w.Root, "evolve "+d.name)
	var out decided
	if d.name == "reject" { // it may be merged
		atRemote(ctx, sh, w, p)
		defer func() {
			if out.Proposal.State == archive.Rejected { // its branch goes
				atRemote(ctx, sh, w, p)
			}
		}()
	}
	mine, err := wire.Claim(w.Root, p.ID)
	if err != nil {
		return out, err
	}
	if mine == nil {
		return out, exit.Errorf(exit.Locked, "wait for that decision; `evolve show "+p.ID+"` shows the result", "another process is deciding on %s", p.ID)
	}
	defer mine.Release()
	defer renewAfter(ctx, sh, w.Root, p.Run)
	if finished, err := finishFirst(ctx, sh, w, d, p.ID, &out); finished || err != nil {
		if finished && err == nil {
			sh.stands = whatStands(out.Proposal)
		}
		return out, err
	}
	rev := sh.Reviewer(w, lend)
	if p.Patch != nil {
		rev = sh.PatchReviewer(w, lend)
	}
	out.Done, err = d.do(rev, ctx, p.ID, word)
	var left *review.LeftError
	if errors.As(err, &left) {
		return out, exit.Errorf(orElse(exit.Locked, exit.Interrupted, errors.Is(err, archive.ErrLocked)), "nothing was decided; repeat the command", "%w", err)
	}
	if err == nil {
		sh.stands = whatStands(out.Proposal)
		out.after = afterwards(ctx, sh, w, lend, out.Proposal)
	}
	return out, err
}

// whatStands describes the state of a proposal after a decision.
func whatStands(p archive.ProposalRecord) string {
	switch p.State {
	case archive.Adopted:
		if p.Kind == archive.KindAutonomy {
			break
		}
		return fmt.Sprintf("%s is adopted, as commit %s", p.ID, wire.Abbreviated(p.AdoptedCommit))
	case archive.RolledBack:
		if p.Decision != nil && p.Decision.Commit != "" {
			return fmt.Sprintf("%s is rolled back, by commit %s", p.ID, wire.Abbreviated(p.Decision.Commit))
		}
	}
	return fmt.Sprintf("%s is %s", p.ID, p.State.Name())
}

// finishFirst finishes a decision on a proposal if a process began the decision and was
// killed. It reports whether the finished decision is the same as the decision that this
// command is to make.
func finishFirst(ctx context.Context, sh *shell, w *workspace.Workspace, d decision, id string, out *decided) (bool, error) {
	in, after, err := sh.Finish(ctx, w, id, d.name)
	if err != nil || in.Action != d.name || in.Stage == archive.IntentCommit || in.Commit == "" {
		return false, err
	}
	err = sh.UnsweptLender(w.Root, "evolve "+d.name)(ctx, func(a *archive.Archive) (err error) {
		out.Proposal, err = a.Proposal(ctx, id)
		return err
	})
	if err != nil || !review.Carried(d.name, out.Proposal.State) {
		return false, err
	}
	out.after = after
	return true, nil
}

// afterwards is called after an adoption or a rollback. It starts the operator's program
// and records the program's result in the ledger. A failure of the program does not undo
// the decision.
func afterwards(ctx context.Context, sh *shell, w *workspace.Workspace, lend review.WithStore, p archive.ProposalRecord) *review.After {
	if len(w.Settings.Adoption.After) == 0 || p.Kind == archive.KindAutonomy || p.State != archive.Adopted && p.State != archive.RolledBack {
		return nil
	}
	done, err := sh.Reviewer(w, lend).RunProgram(ctx, p.ID)
	if err != nil {
		sh.Log.Warn("the result of adoption.after was not recorded in the ledger", "proposal", p.ID, "error", err)
	}
	return done
}

// printFollowing prints the consequences of a decision: adopted patches that build on the
// patch that was rolled back, and the result of the operator's program.
func printFollowing(con *console, done decided) {
	if len(done.Later) > 0 {
		con.printf("patches adopted later in the same packages: %s\n", strings.Join(done.Later, ", "))
	}
	a := done.after
	if a == nil {
		return
	}
	con.printf("\nstarted %s\n", text.Visible(strings.Join(a.Argv, " ")))
	con.printLines("  ", a.Output)
	if a.Problem != "" {
		con.printf("the program failed: %s; the decision remains in force\n", text.Visible(a.Problem))
	}
}
