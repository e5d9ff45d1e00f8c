package cli

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/runtime/text"
)

func auditCommand(sh *shell) *cli.Command {
	var from int64
	return &cli.Command{
		Name: "audit", Usage: "the hash-chained ledger of everything decided or attempted",
		Subcommands: []*cli.Command{
			{
				Name: "log", Usage: "the entries",
				Flags: []cli.Flag{&cli.Int64Flag{Name: "from", Destination: &from, Usage: "start at entry `N`", Value: 1}},
				Action: func(c *cli.Context) error {
					return inspecting(sh, c, func(_ string, a *archive.Archive) error { return auditLog(c.Context, sh.console, a, from) })
				},
			},
			verifyCommand(sh),
			acceptHeadCommand(sh),
			signCommand(sh),
		},
	}
}

func auditLog(ctx context.Context, con *console, a *archive.Archive, from int64) error {
	list := []archive.LedgerEntry{}
	for e, err := range a.Ledger(ctx, from) {
		if err != nil {
			return fmt.Errorf("reading the ledger: %w", err)
		}
		if con.json {
			list = append(list, e)
			continue
		}
		con.printf("%4d  %s  %s  %-18s  %-12s  %s\n", e.Seq, e.Time.Local().Format("2006-01-02 15:04:05"),
			text.Visible(e.Hash[:min(12, len(e.Hash))]), text.Visible(e.Kind), text.Visible(e.Subject), text.Visible(e.Actor))
	}
	if con.json {
		return con.printJSON(map[string]any{"entries": list})
	}
	return nil
}
