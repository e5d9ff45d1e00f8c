package schedule

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"evolve/runtime/text"
)

// Done describes the files that were installed or removed.
type Done struct {
	Kind   Kind
	System bool
	// Changed is false if everything was already in place.
	Changed bool
	// Files holds the paths of the unit files; it is empty for a crontab.
	Files []string
	// Log is the file that holds the output of nights, or the command that shows it.
	Log string
	// Commands holds the commands that changed something, as a person would type them.
	Commands []string
}

// Choose returns the kind of schedule to install for a workspace: the kind that it already
// has, otherwise systemd if it accepts commands, otherwise cron. If wanted is not empty, it
// must be one of the possible kinds. Choose fails with ErrNone or ErrOther.
func (h Host) Choose(ctx context.Context, found []Installed, wanted Kind, system bool) (Kind, error) {
	if len(found) > 0 {
		has := found[0]
		if len(found) > 1 || has.packaged || wanted != "" && wanted != has.Kind || has.System != system {
			return "", ErrOther
		}
		wanted = has.Kind
	}
	switch {
	case wanted != Cron && h.HasSystemd(ctx, system):
		return Systemd, nil
	case wanted != Systemd && !system && h.Crontab != "":
		return Cron, nil
	}
	return "", ErrNone
}

// Install schedules a night and replaces the schedules that were found. If the night is
// already scheduled in the same way, nothing changes, not even the time at which the
// schedule was installed. If Install fails, everything is left as it was.
func (h Host) Install(ctx context.Context, kind Kind, system bool, n Night, found []Installed) (Done, error) {
	same := n
	if len(found) > 0 {
		same.Since = found[0].Since
	}
	if kind == Cron {
		return h.installCron(ctx, n, same, found)
	}
	done := Done{Kind: Systemd, System: system, Log: logOf(kind, system, n.Workspace)}
	service, timer := Units(n)
	for _, p := range []Part{service, timer} {
		done.Files = append(done.Files, filepath.Join(h.units(system), p.File))
	}
	if len(found) > 0 {
		service, timer := Units(same)
		if slices.EqualFunc(found[0].parts, []Part{service, timer}, func(a, b Part) bool { return a.Text == b.Text }) && h.enabled(ctx, system, timer.File) {
			return done, nil
		}
	}
	done.Changed = true
	if len(found) > 0 {
		_ = h.systemctl(ctx, system, "stop", timer.File) // the timer reads its new time when it starts
	}
	err := writeUnits(h.units(system), []Part{service, timer})
	if err == nil {
		err = h.do(ctx, &done, "daemon-reload")
	}
	if err == nil {
		// Because of the time at which an earlier timer last fired, systemd would start a
		// night at once to catch up. On a new machine there is no such time, and old
		// versions of systemctl cannot clear it.
		_ = h.systemctl(ctx, system, "clean", "--what=state", timer.File)
		err = h.do(ctx, &done, "enable", "--now", timer.File)
	}
	if err != nil {
		return done, errors.Join(err, h.restore(context.WithoutCancel(ctx), done, found))
	}
	return done, nil
}

// do runs systemctl and adds the command to done.Commands.
func (h Host) do(ctx context.Context, done *Done, args ...string) error {
	command := "systemctl"
	if !done.System {
		command += " --user"
	}
	for _, a := range args {
		command += " " + text.ShellQuote(a)
	}
	done.Commands = append(done.Commands, command)
	return h.systemctl(ctx, done.System, args...)
}

// restore undoes an installation: it restores the units that were there before, or deletes
// the new units if there were none.
func (h Host) restore(ctx context.Context, done Done, found []Installed) error {
	if len(found) == 0 {
		_ = h.systemctl(ctx, done.System, "disable", "--now", filepath.Base(done.Files[1]))
	}
	err := deleteFiles(done.Files)
	if len(found) > 0 {
		err = errors.Join(err, writeUnits(h.units(done.System), found[0].parts))
	}
	_ = h.systemctl(ctx, done.System, "daemon-reload")
	if len(found) > 0 {
		_ = h.systemctl(ctx, done.System, "start", filepath.Base(done.Files[1]))
	}
	return err
}

func deleteFiles(paths []string) error {
	var errs []error
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// enabled reports whether a timer is enabled and waiting.
func (h Host) enabled(ctx context.Context, system bool, timer string) bool {
	for _, question := range []string{"is-enabled", "is-active"} {
		if err := h.systemctl(ctx, system, question, "--quiet", timer); err != nil {
			return false
		}
	}
	return true
}

func (h Host) installCron(ctx context.Context, n, same Night, found []Installed) (Done, error) {
	done := Done{Kind: Cron, Log: logOf(Cron, false, n.Workspace)}
	lines, err := Crontab(same)
	if err != nil || len(found) > 0 && found[0].parts[0].Text == lines {
		return done, err
	}
	if lines, err = Crontab(n); err != nil {
		return done, err
	}
	return h.edit(ctx, n.Workspace, lines)
}

// edit replaces a workspace's lines in the crontab with the given lines.
func (h Host) edit(ctx context.Context, workspace, lines string) (Done, error) {
	done := Done{Kind: Cron, Changed: true, Log: logOf(Cron, false, workspace), Commands: []string{"crontab -"}}
	before, err := h.crontab(ctx)
	if err != nil {
		return done, err
	}
	after, err := replaceBlock(before, workspace, lines)
	if err != nil {
		return done, err
	}
	if after == "" {
		done.Commands = []string{"crontab -r"}
	}
	return done, h.setCrontab(ctx, after)
}

// Remove removes the schedule of a workspace. A night that is under way continues.
func (h Host) Remove(ctx context.Context, workspace string, in Installed) (Done, error) {
	if in.Kind == Cron {
		return h.edit(ctx, workspace, "")
	}
	timer := in.unit + ".timer"
	done := Done{Kind: Systemd, System: in.System, Changed: true, Files: in.Files}
	if err := h.do(ctx, &done, "disable", "--now", timer); err != nil {
		return done, fmt.Errorf("nothing was removed: %w", err)
	}
	_ = h.systemctl(ctx, in.System, "clean", "--what=state", timer) // old versions cannot
	if err := deleteFiles(in.Files); err != nil {
		return done, err
	}
	return done, h.do(ctx, &done, "daemon-reload")
}

// Faults describes what prevents a schedule from starting the nights of a workspace.
func (h Host) Faults(ctx context.Context, workspace string, in Installed) []string {
	var faults []string
	if info, err := os.Stat(in.Program); err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
		faults = append(faults, fmt.Sprintf("its program %q does not exist or cannot be run", in.Program))
	}
	if in.Workspace != workspace {
		faults = append(faults, fmt.Sprintf("it starts the nights of a different workspace, %q", in.Workspace))
	}
	switch {
	case !in.Daily:
		faults = append(faults, "it was changed by hand and no longer starts a night once a day")
	case in.Kind == Systemd && !h.enabled(ctx, in.System, in.unit+".timer"):
		faults = append(faults, "its timer is not enabled or not waiting; run systemctl "+map[bool]string{true: "", false: "--user "}[in.System]+"enable --now "+text.ShellQuote(in.unit+".timer"))
	}
	return faults
}
