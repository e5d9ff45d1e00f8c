package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
)

// forgetView is the output of `evolve agent forget --json`.
type forgetView struct {
	gcView
	// Proposals are the proposals from which memories were removed. Proposal is the
	// proposal that holds the remaining memories of the proposals that awaited a decision.
	Proposals []string `json:"proposals,omitempty"`
	Proposal  string   `json:"proposal,omitempty"`
	// Reports are the runs whose reports were rendered again.
	Reports []string `json:"reports,omitempty"`
	// Left lists what the command does not delete.
	Left []leftOver `json:"left"`
}

func agentForgetCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "forget", Usage: "delete a stored conversation", ArgsUsage: "SESSION",
		Description: "Deletes its messages, notes and memories, the goals, answers and steps of its turns, and the corrections\n" +
			"in it, even where lessons quote them. Re-renders the reports of the runs since it began. Removes what agents\n" +
			"learned in it from memory proposals that no person approved, and deletes the git refs of these proposals.\n" +
			"Outcomes, usage and the names of the conversation and its domains are kept, and the ledger records the\n" +
			"deletion. The output lists what is not deleted (backups, exports, commits, suites, adopted memories) and what\n" +
			"to do about each.",
		Flags:  []cli.Flag{agentFlag(), &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask for confirmation; needed if there is no terminal"}},
		Action: func(c *cli.Context) error { return agentForget(sh, c) },
	}
}

func agentForget(sh *shell, c *cli.Context) error {
	if err := outside(sh); err != nil {
		return err
	}
	w, a, err := sh.loadAgent(c, c.String("agent"))
	if err != nil {
		return err
	}
	name := c.Args().First()
	if !c.Bool("yes") {
		if err := confirmTool(c.Context, sh.console, "`evolve agent turns --session` shows the conversation's turns; to delete the conversation, add --yes", fmt.Sprintf("delete the conversation %s of %s", name, a.ID)); err != nil {
			return err
		}
	}
	release, err := wire.HoldSession(w.Root, a.ID, name)
	if err != nil {
		return err
	}
	defer release()
	gone, err := forgetSession(c, sh, w.Root, a.ID, name)
	missing := errors.Is(err, archive.ErrNotFound)
	if err != nil && !missing {
		return gcFailure(err)
	}
	// This command may repeat an earlier command that was killed before the following
	// steps.
	talk, err := talkOf(c.Context, w.Root, a.ID, name)
	if err != nil {
		return err
	}
	if missing && len(talk.turns) == 0 {
		return exit.Errorf(exit.Usage, "`evolve agent sessions` lists them", "%s has no conversation %.80q", a.ID, name)
	}
	if err := rewriteFeedback(c, w.Root, a.ID); err != nil {
		return err
	}
	unread, err := wire.ForgetRefused(w.Root, a.ID, name)
	if err != nil {
		return fmt.Errorf("removing turns that were refused: %w", err)
	}
	if len(unread) > 0 {
		sh.Log.Warn("refused turns in .evolve/turns cannot be read, and may belong to the conversation", "files", strings.Join(unread, " "))
	}
	v := forgetView{gcView: gcView{gone, false}}
	forgot, err := sh.Reviewer(w, sh.Lender(w.Root, "evolve agent forget")).ForgetMemories(c.Context, a.ID, name, sh.Scrub(w))
	if err != nil {
		return fmt.Errorf("removing the conversation's memories from the proposals: %w", err)
	}
	v.Proposals = forgot.Emptied
	if forgot.Proposal != nil {
		v.Proposal = forgot.Proposal.ID
	}
	if v.Reports, err = renderSince(c.Context, w.Root, talk.began); err != nil {
		return err
	}
	v.Left, err = leftBehind(sh, w, a, talk, forgot)
	if err != nil {
		return err
	}
	return sh.show(v, func() { printForgotten(sh, v, a.ID, name) })
}

func printForgotten(sh *shell, v forgetView, agentID, name string) {
	sh.printf("the conversation %s of %s was deleted, with the texts of %s\n", cell(name, 80), agentID, count(v.Turns, "turn"))
	if len(v.Proposals) > 0 {
		rest := ""
		if v.Proposal != "" {
			rest = "; " + v.Proposal + " contains the remaining memories"
		}
		sh.printf("the conversation's memories were removed from %s%s\n", strings.Join(v.Proposals, ", "), rest)
	}
	if len(v.Reports) > 0 {
		sh.printf("%s rendered again without the conversation\n", count(len(v.Reports), "report"))
	}
	if len(v.Left) > 0 {
		sh.printf("\nnot reached:\n")
	}
	for _, l := range v.Left {
		sh.printf("  %s\n", l.What)
		for _, where := range l.Where[:min(len(l.Where), maxWhere)] {
			sh.printf("    %s\n", cell(where, 200))
		}
		if more := len(l.Where) - maxWhere; more > 0 {
			sh.printf("    and %d more\n", more)
		}
		sh.printf("    → %s\n", l.Do)
	}
}

// rewriteFeedback rewrites the file that holds an agent's lessons, using the archive.
func rewriteFeedback(c *cli.Context, root, agentID string) error {
	return wire.LookIfThere(root, func(store *archive.Archive) error {
		e, err := store.Experience(c.Context, agentID)
		if err != nil {
			return fmt.Errorf("reading the lessons: %w", err)
		}
		return workspace.WriteFeedback(root, agentID, e.Lessons.Text())
	})
}

// forgetSession deletes a session. Rewriting the store adds an entry to the ledger, which
// is signed when the archive is next opened.
func forgetSession(c *cli.Context, sh *shell, root, agentID, name string) (archive.Removed, error) {
	return rewritten(sh, root, "evolve agent forget", func(opts archive.GCOptions) (archive.Removed, error) {
		return archive.DeleteSession(c.Context, wire.ArchiveDir(root), agentID, name, opts)
	})
}
