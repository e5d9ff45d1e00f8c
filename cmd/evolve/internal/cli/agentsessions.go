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

// sessionLine is one stored conversation.
type sessionLine struct {
	Agent    string `json:"agent"`
	Session  string `json:"session"`
	Messages int    `json:"messages"`
	Notes    int    `json:"notes"`
	Facts    int    `json:"facts"`
}

func agentSessionsCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "sessions", Usage: "the stored conversations", Description: "Works while a run is on.",
		Action: func(c *cli.Context) error { return agentSessions(sh, c) },
	}
}

func agentForgetCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "forget", Usage: "delete a stored conversation", ArgsUsage: "SESSION",
		Description: "Its messages, notes and memories go, of its turns the goals, answers and steps, and what was\n" +
			"corrected in it, also where lessons quote it. Outcomes and usage stay, and the ledger notes the deletion.",
		Flags:  []cli.Flag{agentFlag(), &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask; needed where there is no terminal"}},
		Action: func(c *cli.Context) error { return agentForget(sh, c) },
	}
}

func agentSessions(sh *shell, c *cli.Context) error {
	lines := []sessionLine{}
	err := readingIfThere(sh, c, func(_ string, a *archive.Archive) error {
		list, err := a.Sessions(c.Context)
		for _, s := range list {
			lines = append(lines, sessionLine{s.Agent, s.Name, s.Messages, s.Notes, s.Facts})
		}
		return err
	})
	if err != nil {
		return err
	}
	return printList(sh.console, "sessions", lines, "no conversation is stored", func(l sessionLine) error {
		_, err := fmt.Fprintf(sh.stdout, "%-16s  %-24s  %s, %s, %s\n", cell(l.Agent, 24), cell(l.Session, 48),
			count(l.Messages, "message"), count(l.Notes, "note"), count(l.Facts, "fact"))
		return err
	})
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
		if err := confirmTool(c.Context, sh.console, "`evolve agent turns --session` shows its turns; then add --yes", fmt.Sprintf("delete the conversation %s of %s", name, a.ID)); err != nil {
			return err
		}
	}
	release, err := wire.HoldSession(w.Root, a.ID, name)
	if err != nil {
		return err
	}
	defer release()
	gone, err := forgetSession(c, sh, w.Root, a.ID, name)
	if errors.Is(err, archive.ErrNotFound) {
		return exit.Errorf(exit.Usage, "`evolve agent sessions` lists them", "%s has no conversation %.80q", a.ID, name)
	}
	if err != nil {
		return gcFailure(err)
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
	return sh.result(gcView{gone, false}, "the conversation %s of %s is deleted, with the texts of %s\n", cell(name, 80), a.ID, count(gone.Turns, "turn"))
}

// rewriteFeedback makes the file of an agent's lessons anew from the archive.
func rewriteFeedback(c *cli.Context, root, agentID string) error {
	return wire.LookIfThere(root, func(store *archive.Archive) error {
		e, err := store.Experience(c.Context, agentID)
		if err != nil {
			return fmt.Errorf("reading the lessons: %w", err)
		}
		return workspace.WriteFeedback(root, agentID, e.Lessons.Text())
	})
}

// forgetSession deletes a session. The rewritten store has one more entry, which the next
// open signs.
func forgetSession(c *cli.Context, sh *shell, root, agentID, name string) (archive.Removed, error) {
	return rewritten(sh, root, "evolve agent forget", func(opts archive.GCOptions) (archive.Removed, error) {
		return archive.DeleteSession(c.Context, wire.ArchiveDir(root), agentID, name, opts)
	})
}
