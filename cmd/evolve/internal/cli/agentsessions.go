package cli

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"evolve/archive"
)

// sessionLine is one stored conversation in a list.
type sessionLine struct {
	Agent    string `json:"agent"`
	Session  string `json:"session"`
	Messages int    `json:"messages"`
	Notes    int    `json:"notes"`
	Facts    int    `json:"facts"`
}

func agentSessionsCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "sessions", Usage: "list the stored conversations", Description: "Also works during a run.",
		Action: func(c *cli.Context) error { return agentSessions(sh, c) },
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
