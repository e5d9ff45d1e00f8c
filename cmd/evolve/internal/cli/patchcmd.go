package cli

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/gates/review"
	"evolve/runtime/text"
)

func patchCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "patch", Usage: "changes to source code: propose one, see its gates, have it reviewed",
		Description: "A patch changes no working tree, index or branch before a person approves it with " +
			"`evolve approve`. `evolve help patch` describes the whole process.",
		Subcommands: []*cli.Command{
			patchPropose(sh),
			{
				Name: "list", Usage: "list all patches, the latest first", Description: "Also works during a run.",
				Action: func(c *cli.Context) error { return patchList(sh, c) },
			},
			{
				Name: "show", Usage: "show one patch in full: its diff, its gates with their evidence, its review", ArgsUsage: "ID",
				Description: "Control, direction and invisible characters are shown escaped. Also works during a run.",
				Flags:       []cli.Flag{allGatesFlag()},
				Action:      func(c *cli.Context) error { return patchShow(sh, c) },
			},
			{
				Name: "review", Usage: "have another agent review a patch: its verdict advises the person, and can veto the patch", ArgsUsage: "ID",
				Description: "The reviewer sees evolve's own diff, what the gates found and the stated reason, and answers approve or " +
					"reject with reasons. The verdict is bound to the digest of the patch. Agents take turns; none reviews its own patches.",
				Flags:  []cli.Flag{&cli.StringFlag{Name: "agent", Usage: "the reviewing `AGENT`, instead of the one whose turn it is"}},
				Action: func(c *cli.Context) error { return patchReview(sh, c) },
			},
		},
	}
}

func patchList(sh *shell, c *cli.Context) error {
	views := []patchView{}
	err := readingIfThere(sh, c, func(root string, a *archive.Archive) error {
		rev := sh.PatchReader(root)
		return forEachProposal(c.Context, a, func(p archive.ProposalRecord) {
			if p.Patch != nil {
				views = append([]patchView{patchViewOf(rev, p, false)}, views...)
			}
		})
	})
	if err != nil {
		return err
	}
	return printList(sh.console, "patches", views, "no patch has been proposed yet", func(v patchView) error {
		_, err := fmt.Fprintf(sh.stdout, "%-4s  %-11s  %s  %-16s %s\n", v.ID, v.State.Name(), v.Created.Local().Format("_2 Jan 15:04"),
			cell(v.Author, 24), text.Visible(v.Title))
		return err
	})
}

func patchShow(sh *shell, c *cli.Context) error {
	return oneProposal(sh, c, func(p claimed) error {
		if p.Patch == nil {
			return exit.Errorf(exit.Usage, "`evolve show "+p.ID+"` shows it", "%s is not a patch", p.ID)
		}
		return showPatch(sh, c, p)
	})
}

// showPatch shows a patch in full.
func showPatch(sh *shell, c *cli.Context, p claimed) error {
	root, err := sh.root(c)
	if err != nil {
		return err
	}
	v := p.patch(sh.PatchReader(root))
	return sh.show(v, func() {
		printPatch(sh.console, v, c.Bool("all"))
		sh.printAddressed("  ", p.notes)
	})
}

func patchReview(sh *shell, c *cli.Context) error {
	if err := outside(sh); err != nil {
		return err
	}
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	if _, err := peek(c, w.Root, proposalOf); err != nil {
		return err
	}
	rev := sh.PatchReviewer(w, sh.Lender(w.Root, "evolve patch review"))
	p, err := rev.ReviewCode(c.Context, c.Args().First(), c.String("agent"))
	if errors.Is(err, review.ErrNoReview) {
		return exit.Errorf(exit.Infrastructure, "ask again, or ask another agent with --agent", "%w", err)
	} else if err != nil {
		return err
	}
	v := patchViewOf(rev, p, false)
	if sh.json {
		err = sh.printJSON(v)
	} else {
		printReview(sh.console, v)
		_, err = fmt.Fprintf(sh.stdout, "\n  %s\n", sh.command("evolve show "+p.ID))
	}
	if err == nil && !v.Review.Approve {
		err = exit.Silent(exit.Gate)
	}
	return err
}
