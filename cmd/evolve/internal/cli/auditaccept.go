package cli

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/signing"
	"evolve/cmd/evolve/internal/wire"
)

func acceptHeadCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "accept-head", Usage: "accept a ledger that does not match the head in .evolve/archive.head",
		Description: "The head of the ledger is also stored in .evolve/archive.head. If the archive was restored " +
			"by hand, the two differ and every command refuses to work. This command accepts the ledger as it is. " +
			"A ledger entry records who accepted it, why, and the content of the file.",
		Flags:  []cli.Flag{byFlag(), &cli.StringFlag{Name: "reason", Usage: "the `REASON`, for the ledger"}},
		Action: func(c *cli.Context) error { return acceptHead(sh, c) },
	}
}

func acceptHead(sh *shell, c *cli.Context) error {
	if err := mayDecide(sh, c, "accept-head", true); err != nil {
		return err
	}
	root, err := sh.root(c)
	if err != nil {
		return err
	}
	by, err := decider(sh, c, root)
	if err != nil {
		return err
	}
	set, err := sh.AuditSettings(root)
	var with signing.Keys
	if err == nil {
		with, err = signing.Load(set)
	}
	if err != nil {
		return err
	}
	a, err := wire.ReadArchive(root)
	if err == nil {
		err = errors.Join(a.Close(), exit.Errorf(exit.Usage, "nothing needs to be accepted", "%w", archive.ErrWitnessed))
	}
	if !errors.As(err, new(*archive.WitnessError)) {
		return err
	}
	err = sh.WhileHeld(func() (err error) {
		a, err = archive.Open(wire.ArchiveDir(root), archive.Options{
			Owner: "evolve audit accept-head", Now: sh.Now, Accept: &archive.Accept{By: by, Reason: c.String("reason")},
		})
		return err
	})
	if err != nil {
		return wire.Opening(err)
	}
	var n int64
	var head string
	if with.Key != nil {
		if n, head, err = signVerified(c.Context, sh, a, root, with.Key); err != nil {
			err = fmt.Errorf("the ledger is accepted, but not signed: %w", err)
		}
	} else {
		n, head, err = a.LedgerHead(c.Context)
	}
	if err := errors.Join(err, a.Close()); err != nil {
		return err
	}
	sh.stands = "the ledger of " + entries(n) + " is accepted"
	return sh.result(map[string]any{"entries": n, "head": head}, "accepted: %s, head %s\n", entries(n), head)
}
