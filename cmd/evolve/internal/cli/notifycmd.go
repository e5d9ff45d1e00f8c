package cli

import (
	"errors"
	"os"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/notify"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/text"
)

// channelTrial is the result of a test message on a channel.
type channelTrial struct {
	Channel string `json:"channel"`
	OK      bool   `json:"ok"`
	Problem string `json:"problem,omitempty"`
}

func notifyCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "notify", Usage: "notify people about nights",
		Subcommands: []*cli.Command{{
			Name: "test", Usage: "send a test message through every channel in evolve.yaml",
			Description: "Prints the result for each channel. Records nothing, and sends no heartbeat, because a heartbeat would report the success of a night.",
			Action: func(c *cli.Context) error {
				root, err := sh.root(c)
				if err != nil {
					return err
				}
				set, err := workspace.NotifySettings(root)
				if err != nil {
					return err
				}
				if len(set.Channels) == 0 {
					return exit.Errorf(exit.Usage, "`evolve help notify` describes the channels", "evolve.yaml has no channels under notify")
				}
				host, err := os.Hostname()
				if err != nil {
					host = "unknown"
				}
				w := &workspace.Workspace{Root: root, Settings: workspace.Settings{Notify: set}}
				trials, failed := []channelTrial{}, false
				outbox := sh.Outbox(w)
				for _, ch := range outbox.Channels {
					t := channelTrial{Channel: ch.String(), OK: true}
					if err := ch.Send(c.Context, notify.Trial(root, host, sh.Now())); err != nil {
						t.OK, t.Problem, failed = false, outbox.Scrub(err.Error()), true
					}
					trials = append(trials, t)
				}
				err = sh.show(map[string]any{"channels": trials}, func() { printTrials(sh.console, trials) })
				if failed {
					err = errors.Join(err, exit.Silent(exit.Infrastructure))
				}
				return err
			},
		}},
	}
}

func printTrials(con *console, trials []channelTrial) {
	for _, t := range trials {
		if t.OK {
			con.printf("  %s  sent\n", text.Visible(t.Channel))
		} else {
			con.printf("! %s  failed: %s\n", text.Visible(t.Channel), text.Visible(t.Problem))
		}
	}
}
