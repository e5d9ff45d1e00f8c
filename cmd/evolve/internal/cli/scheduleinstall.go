package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/schedule"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/text"
)

// scheduleInstalled is the output of `evolve schedule install --json`.
type scheduleInstalled struct {
	Kind    schedule.Kind `json:"kind"`
	At      string        `json:"at"`
	Next    time.Time     `json:"next"`
	Changed bool          `json:"changed"`
	// Files holds the unit files that were written, and Commands holds the commands that
	// made the other changes.
	Files    []string `json:"files"`
	Commands []string `json:"commands"`
	// Log is the file that holds the output of nights, or the command that shows it.
	Log string `json:"log"`
	// Notes lists what else a person has to do.
	Notes []string `json:"notes"`
	// Undo is the command that removes everything that was installed.
	Undo string `json:"undo"`
}

func scheduleInstallCommand(sh *shell) *cli.Command {
	var o scheduleOptions
	return &cli.Command{
		Name: "install", Usage: "start a run every night from now on",
		Description: "Writes a systemd service and timer for the user or, if systemd is not available, lines into the user's crontab between two marks. It does not ask for confirmation. When run again, it changes only what differs: flags that are left out keep their installed values.",
		Flags:       o.flags(),
		Action:      func(c *cli.Context) error { return scheduleInstall(sh, c, o) },
	}
}

func scheduleInstall(sh *shell, c *cli.Context, o scheduleOptions) error {
	kind, err := o.kind()
	if err != nil {
		return err
	}
	if kind == schedule.Kubernetes {
		return exit.Errorf(exit.Usage, "`evolve schedule print --format kubernetes` prints it for `kubectl apply -f -`", "evolve does not install a CronJob")
	}
	if err := outside(sh); err != nil {
		return err
	}
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	h := sh.scheduler()
	found, err := h.Find(c.Context, realPath(w.Root))
	if err != nil {
		return scheduleError(err)
	}
	o.system = o.system || kind == "" && len(found) == 1 && found[0].System
	n, err := sh.plannedNight(c, w, o, found)
	if err != nil {
		return err
	}
	chosen, err := h.Choose(c.Context, found, kind, o.system)
	if errors.Is(err, schedule.ErrNone) {
		return printByHand(sh, kind, o.system, n, w.Root)
	}
	if err != nil {
		return scheduleError(err)
	}
	if chosen == schedule.Cron { // its log is there
		if _, err := workspace.MakeStateDir(w.Root); err != nil {
			return err
		}
	}
	done, err := h.Install(c.Context, chosen, o.system, n, found)
	if err != nil {
		return scheduleError(err)
	}
	sh.stands = "the schedule is installed"
	_, next := n.At.Due(sh.Now(), chosen)
	view := scheduleInstalled{
		Kind: chosen, At: n.At.String(), Next: next, Changed: done.Changed, Files: orEmpty(done.Files), Commands: orEmpty(done.Commands),
		Log: done.Log, Notes: orEmpty(scheduleNotes(w, n, done)), Undo: sh.command("evolve schedule remove"),
	}
	return sh.show(view, func() { printInstalled(sh.console, view) })
}

// printByHand prints the lines to add by hand if nothing can be installed.
func printByHand(sh *shell, kind schedule.Kind, system bool, n schedule.Night, root string) error {
	kind = byHand(kind, system)
	parts, err := scheduleParts(sh.scheduler(), kind, system, n)
	if err != nil {
		return err
	}
	if kind == schedule.Cron { // its log is there
		if _, err := workspace.MakeStateDir(root); err != nil {
			return err
		}
	}
	if !sh.json {
		printParts(sh.console, parts)
	}
	return exit.Errorf(exit.Infrastructure, "add the schedule to your scheduler by hand; `evolve schedule print` prints it in the formats of systemd, cron and kubernetes",
		"%w", schedule.ErrNone)
}

// scheduleError adds a hint to an error about the schedule.
func scheduleError(err error) error {
	switch {
	case errors.Is(err, schedule.ErrOther):
		return exit.Errorf(exit.Usage, "run `evolve schedule remove` first", "%w, in a different way", err)
	case errors.Is(err, fs.ErrPermission):
		return exit.Errorf(exit.Infrastructure, "only root can write system units; without --system, user units are written", "%w", err)
	}
	return exit.Errorf(exit.Infrastructure, "`evolve schedule print` prints what to add by hand", "%w", err)
}

// scheduleNotes lists what a person has to do so that nights run.
func scheduleNotes(w *workspace.Workspace, n schedule.Night, done schedule.Done) []string {
	var notes []string
	if done.Kind == schedule.Systemd && !done.System && !lingers() {
		notes = append(notes, "the user's units stop when the user logs out: `loginctl enable-linger` lets them continue")
	}
	if names := neededEnv(w); len(names) > 0 {
		how := "lines NAME=value above evolve's lines in `crontab -e`"
		if done.Kind == schedule.Systemd {
			how = "`systemctl " + orElse("", "--user ", done.System) + "edit " + schedule.Name(n.Workspace) + ".service` with EnvironmentFile= under [Service]"
		}
		notes = append(notes, fmt.Sprintf("a night runs without a shell's environment and may need %s; to set variables: %s", strings.Join(names, ", "), how))
	}
	return notes
}

// lingers reports whether the user's units run while the user is not logged in.
func lingers() bool {
	_, err := os.Stat(filepath.Join("/var/lib/systemd/linger", schedule.CurrentUser()))
	return err == nil
}

func printInstalled(con *console, v scheduleInstalled) {
	if v.Changed {
		con.printf("a night starts every day at %s, by %s; the next one is %s\n", v.At, v.Kind, v.Next.Format("on _2 Jan 15:04"))
	} else {
		con.printf("nothing to do: a night starts every day at %s, by %s; the next one is %s\n", v.At, v.Kind, v.Next.Format("on _2 Jan 15:04"))
	}
	if v.Changed {
		for _, f := range v.Files {
			con.printf("  wrote   %s\n", text.Visible(f))
		}
		for _, command := range v.Commands {
			con.printf("  ran     %s\n", command)
		}
	}
	con.printf("  output  %s\n  undo    %s\n", text.Visible(v.Log), v.Undo)
	for _, note := range v.Notes {
		con.printf("  !       %s\n", text.Visible(note))
	}
}

// findSchedule returns the installed schedule of a workspace. It returns false if there is
// none, or if neither systemd nor cron can be read.
func findSchedule(ctx context.Context, sh *shell, root string) (schedule.Installed, bool) {
	found, _ := sh.scheduler().Find(ctx, realPath(root))
	if len(found) == 0 {
		return schedule.Installed{}, false
	}
	return found[0], true
}
