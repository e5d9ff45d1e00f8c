package cli

import (
	"slices"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/schedule"
)

func scheduleCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "schedule", Usage: "start a run every night, using systemd or cron",
		Subcommands: []*cli.Command{schedulePrintCommand(sh), scheduleInstallCommand(sh), scheduleRemoveCommand(sh)},
	}
}

// scheduleOptions are the flags of `evolve schedule print` and `evolve schedule install`.
type scheduleOptions struct {
	at, until, format string
	system            bool
}

// flags returns the flags that both commands have.
func (o *scheduleOptions) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "at", Destination: &o.at, Usage: "start at this local time `HH:MM`; 01:30 by default"},
		&cli.StringFlag{Name: "until", Destination: &o.until, Usage: "finish, including the report, by the local time `HH:MM`; by default the limits in evolve.yaml apply"},
		&cli.StringFlag{Name: "format", Destination: &o.format, Usage: "the `SCHEDULER` to use: systemd or cron; `evolve schedule print` also knows kubernetes"},
		&cli.BoolFlag{Name: "system", Destination: &o.system, Usage: "as root, install a system unit that runs as the owner of the workspace"},
	}
}

// defaultAt is the default time of day at which nights start.
const defaultAt = "01:30"

// kind returns the kind of schedule that was requested; it is empty if none was.
func (o scheduleOptions) kind() (schedule.Kind, error) {
	var names []string
	for _, k := range schedule.Kinds() {
		names = append(names, string(k))
	}
	if o.format != "" && !slices.Contains(names, o.format) {
		return "", exit.Errorf(exit.Usage, exit.Suggest("", "%s", o.format, names), "--format must be systemd, cron or kubernetes; it is %q", o.format)
	}
	if o.system && o.format != "" && o.format != string(schedule.Systemd) {
		return "", exit.Errorf(exit.Usage, "leave out either --system or --format", "--system applies only to systemd, not to %s", o.format)
	}
	return schedule.Kind(o.format), nil
}
