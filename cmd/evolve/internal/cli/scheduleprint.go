package cli

import (
	"path/filepath"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/schedule"
)

// schedulePrinted is `evolve schedule print --json`.
type schedulePrinted struct {
	Format schedule.Kind   `json:"format"`
	At     string          `json:"at"`
	Parts  []schedule.Part `json:"parts"`
}

func schedulePrintCommand(sh *shell) *cli.Command {
	var o scheduleOptions
	return &cli.Command{
		Name: "print", Usage: "show what would be installed",
		Description: "Prints a service and a timer of systemd, the lines of a crontab, or a CronJob of Kubernetes. It changes nothing.",
		Flags:       o.flags(),
		Action: func(c *cli.Context) error {
			kind, err := o.kind()
			if err != nil {
				return err
			}
			w, err := sh.load(c)
			if err != nil {
				return err
			}
			n, err := sh.plannedNight(c, w, o, nil)
			if err != nil {
				return err
			}
			kind = orElse(kind, schedule.Systemd, kind != "")
			parts, err := scheduleParts(sh.scheduler(), kind, o.system, n)
			if err != nil {
				return err
			}
			return sh.show(schedulePrinted{kind, n.At.String(), parts}, func() { printParts(sh.console, parts) })
		},
	}
}

// scheduleParts renders a night; the files of units have their whole paths.
func scheduleParts(h schedule.Host, kind schedule.Kind, system bool, n schedule.Night) ([]schedule.Part, error) {
	switch kind {
	case schedule.Cron:
		lines, err := schedule.Crontab(n)
		if err != nil {
			return nil, exit.Errorf(exit.Usage, "shorten PATH", "%w", err)
		}
		return []schedule.Part{{Text: lines}}, nil
	case schedule.Kubernetes:
		return []schedule.Part{{Text: schedule.CronJob(n)}}, nil
	}
	service, timer := schedule.Units(n)
	dir := orElse(h.SystemUnits, h.UserUnits, system)
	service.File, timer.File = filepath.Join(dir, service.File), filepath.Join(dir, timer.File)
	return []schedule.Part{service, timer}, nil
}

func printParts(con *console, parts []schedule.Part) {
	for i, p := range parts {
		if i > 0 {
			con.printf("\n")
		}
		if p.File != "" {
			con.printf("# %s\n", p.File)
		}
		con.printf("%s", p.Text)
	}
}
