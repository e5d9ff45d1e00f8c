package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/schedule"
	"evolve/cmd/evolve/internal/wire"
	"evolve/runtime/text"
)

// scheduleLine is the installed schedule as the status shows it.
type scheduleLine struct {
	Kind schedule.Kind `json:"kind"`
	// At is the time of day; it is empty if a person changed the schedule in such a way
	// that Next is not known.
	At   string    `json:"at,omitempty"`
	Next time.Time `json:"next,omitzero"`
	// Last is when the last night was due; it is absent before the first night.
	Last time.Time `json:"last,omitzero"`
	// Missed reports whether no run has started since Last.
	Missed bool `json:"missed"`
	// Log is the file that holds the output of nights, or the command that shows it.
	Log string `json:"log"`
}

// scheduleStatus compares the installed schedule with the latest run; it returns nil if no
// schedule is installed.
func scheduleStatus(ctx context.Context, sh *shell, root string, latest archive.Run) *scheduleLine {
	in, ok := findSchedule(ctx, sh, root)
	if !ok {
		return nil
	}
	state := schedule.Look(in, latest, sh.Now())
	line := &scheduleLine{Kind: in.Kind, Next: state.Next, Last: state.Last, Missed: state.Missed, Log: in.Log(realPath(root))}
	if in.Daily {
		line.At = in.At.String()
	}
	return line
}

func printSchedule(con *console, l *scheduleLine) {
	switch {
	case l == nil:
		return
	case l.At == "":
		con.printf("\nnext night  unknown: the schedule of %s was changed by hand\n", l.Kind)
	default:
		con.printf("\nnext night  %s, by %s\n", l.Next.Format("_2 Jan 15:04"), l.Kind)
	}
	if l.Missed {
		con.printf("! the night of %s was missed: nothing has run since\n    output  %s\n    %s\n", l.Last.Format("_2 Jan 15:04"), text.Visible(l.Log), con.command("evolve doctor"))
	}
}

// scheduleProbe describes the installed schedule for doctor. If there is none, words and
// fault are empty.
func scheduleProbe(ctx context.Context, sh *shell, root string) (words, fault, hint string) {
	found, err := sh.scheduler().Find(ctx, realPath(root))
	hint = sh.command("evolve schedule install") + " rewrites it"
	if err != nil {
		return "", "it cannot be read: " + text.OneLine(err.Error()), ""
	}
	if len(found) == 0 {
		return "", "", ""
	}
	in := found[0]
	faults := sh.scheduler().Faults(ctx, realPath(root), in)
	if len(found) > 1 {
		faults, hint = append(faults, "a schedule is installed in more than one way"), sh.command("evolve schedule remove")+" removes all of them"
	}
	if in.Kind == schedule.Systemd && !in.System && !lingers() && len(faults) == 0 {
		faults, hint = append(faults, "the user's units stop when the user logs out"), "loginctl enable-linger"
	}
	latest, err := latestRun(ctx, root)
	state := schedule.Look(in, latest, sh.Now())
	if err == nil && state.Missed && len(faults) == 0 {
		faults, hint = append(faults, fmt.Sprintf("the night of %s was missed: nothing has run since", state.Last.Format("_2 Jan 15:04"))), "its output: "+in.Log(realPath(root))
	}
	if len(faults) > 0 {
		return "", fmt.Sprintf("by %s: %s", in.Kind, strings.Join(faults, "; ")), hint
	}
	return fmt.Sprintf("every day at %s by %s; the next night is on %s", in.At, in.Kind, state.Next.Format("_2 Jan 15:04")), "", ""
}

// latestRun returns the latest run of a workspace, or the zero run if there is none. A run
// without a process counts as interrupted.
func latestRun(ctx context.Context, root string) (latest archive.Run, err error) {
	err = wire.LookIfThere(root, func(a *archive.Archive) error {
		src, err := asTheyAre(ctx, a)
		if err != nil {
			return err
		}
		for r, err := range src.Runs(ctx) {
			latest = r
			return err
		}
		return nil
	})
	return latest, err
}

// mustCatchUp reports whether the last night of the installed schedule was missed, or was
// ended by the death of its process.
func mustCatchUp(ctx context.Context, sh *shell, root string) (bool, error) {
	in, ok := findSchedule(ctx, sh, root)
	if !ok {
		return false, exit.Errorf(exit.Usage, "`evolve schedule install` installs one; leave --catch-up out to start a run now", "there is no schedule, so there is no missed night to catch up on")
	}
	latest, err := latestRun(ctx, root)
	if err != nil {
		return false, err
	}
	return schedule.Look(in, latest, sh.Now()).CatchUp, nil
}
