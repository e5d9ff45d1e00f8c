package cli

import (
	"context"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/schedule"
)

// schedulePrinted is the output of `evolve schedule print --json`.
type schedulePrinted struct {
	Format schedule.Kind   `json:"format"`
	At     string          `json:"at"`
	Parts  []schedule.Part `json:"parts"`
}

func schedulePrintCommand(sh *shell) *cli.Command {
	var o scheduleOptions
	return &cli.Command{
		Name: "print", Usage: "show what would be installed",
		Description: "Prints a systemd service and timer, crontab lines, or a Kubernetes CronJob; without --format, " +
			"what `evolve schedule install` would write on this machine. It changes nothing.",
		Flags: o.flags(),
		Action: func(c *cli.Context) error {
			kind, err := o.kind()
			if err != nil {
				return err
			}
			w, err := sh.load(c)
			if err != nil {
				return err
			}
			h := sh.scheduler()
			var found []schedule.Installed
			if kind == "" {
				if found, err = h.Find(c.Context, realPath(w.Root)); err != nil {
					return scheduleError(err)
				}
				kind, o.system = wouldInstall(c.Context, h, found, o.system)
			}
			n, err := sh.plannedNight(c, w, o, found)
			if err != nil {
				return err
			}
			parts, err := scheduleParts(h, kind, o.system, n)
			if err != nil {
				return err
			}
			return sh.show(schedulePrinted{kind, n.At.String(), parts}, func() { printParts(sh.console, parts) })
		},
	}
}

// wouldInstall returns the kind of schedule that `evolve schedule install` would write or,
// if none can be installed, would print for a person. It also reports whether that is a
// system schedule.
func wouldInstall(ctx context.Context, h schedule.Host, found []schedule.Installed, system bool) (schedule.Kind, bool) {
	if len(found) > 0 && !system {
		return found[0].Kind, found[0].System
	}
	kind, err := h.Choose(ctx, nil, "", system)
	if err != nil {
		kind = byHand("", system)
	}
	return kind, system
}

// byHand returns the kind of schedule that is shown to a person if none can be installed.
func byHand(wanted schedule.Kind, system bool) schedule.Kind {
	if system {
		return schedule.Systemd
	}
	return orElse(wanted, schedule.Cron, wanted != "")
}

// scheduleParts renders a night as the parts of a schedule of the given kind. The names of
// unit files are full paths.
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
		con.whole().printf("%s", p.Text)
	}
}
