package cli

import (
	"errors"

	"github.com/urfave/cli/v2"

	"evolve/gates/review"
	"evolve/runtime/text"
)

func proposeCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "propose", Usage: "propose any archived variant by hand", ArgsUsage: "VARIANT",
		Description: "The variant must pass the same gates as one from a run; the proposal states what the latest run found about it against the present champion.",
		Flags:       []cli.Flag{agentFlag(), &cli.StringFlag{Name: "reason", Usage: "the `REASON`, for the person who decides"}},
		Action: func(c *cli.Context) error {
			name := c.Args().First()
			w, agent, err := sh.loadAgent(c, c.String("agent"))
			if err != nil {
				return err
			}
			a, err := sh.OpenArchive(w.Root, "evolve propose")
			if err != nil {
				return err
			}
			rev := sh.Reviewer(w, review.Opened(a))
			err = func() error {
				v, err := findVariant(c, a, agent.ID, name)
				if err != nil {
					return err
				}
				p, err := rev.ProposeByHand(c.Context, agent.ID, v, c.String("reason"))
				if err != nil {
					return err
				}
				sh.stands = p.ID + " is proposed"
				return sh.result(viewOf(p), "%s  %s  %s\n\n  %s\n", p.ID, text.Visible(p.Title), p.State.Name(), sh.command("evolve show "+p.ID))
			}()
			return errors.Join(err, a.Close())
		},
	}
}
