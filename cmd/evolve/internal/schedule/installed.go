package schedule

import (
	"path/filepath"
	"slices"
	"time"

	"evolve/archive"
	"evolve/runtime/text"
)

// Installed is a workspace's schedule as found on the machine.
type Installed struct {
	Kind Kind
	// System reports whether the unit belongs to the system rather than to the user.
	System bool
	// Files are the unit files of the schedule; there are none for a crontab.
	Files []string
	// At is the time of day. It is valid if Daily reports that the schedule runs once a
	// day; a person may have changed the schedule.
	At    At
	Daily bool
	// Program and Workspace are taken from the schedule's command; they are empty if the
	// command was changed beyond recognition.
	Program, Workspace string
	// Until is the time of day by which the schedule's nights end; it is empty if the
	// command has none.
	Until string
	// Since is when the schedule was installed.
	Since time.Time
	// packaged reports whether the schedule is an instance of the units that a package of
	// evolve installs.
	packaged bool
	// unit is the name of the schedule's units; it is empty for a crontab.
	unit string
	// parts holds the texts of the unit files, or the lines of the crontab.
	parts []Part
}

func (in *Installed) setAt(text string) {
	at, err := ParseAt(text)
	in.At, in.Daily = at, err == nil
}

func (in *Installed) setCommand(words []string) {
	in.Program, in.Workspace, in.Until = words[0], after(words, "--workspace"), after(words, "--until")
}

// after returns the word that follows a flag in a list of words.
func after(words []string, flag string) string {
	if at := slices.Index(words, flag); at >= 0 && at+1 < len(words) {
		return words[at+1]
	}
	return ""
}

// Log returns the file that holds the output of a workspace's nights, or the command that
// shows it.
func (in Installed) Log(workspace string) string {
	if in.packaged {
		return journal(false, in.unit)
	}
	return logOf(in.Kind, in.System, workspace)
}

func logOf(kind Kind, system bool, workspace string) string {
	if kind == Cron {
		return filepath.Join(workspace, filepath.FromSlash(LogFile))
	}
	return journal(system, Name(workspace))
}

func journal(system bool, unit string) string {
	if system {
		return "journalctl -u " + unit
	}
	return "journalctl --user -u " + text.ShellQuote(unit)
}

// grace is the time that may pass between the moment at which a night is due and its
// appearance in the archive.
const grace = 5 * time.Minute

// State is the state of a schedule at one moment.
type State struct {
	// Last is the time at which a night was last due since the schedule was installed; it
	// is zero if none was due. Next is the time at which the next night is due.
	Last, Next time.Time
	// Missed reports whether no run worked between Last and now although there was enough
	// time for a run to begin.
	Missed bool
	// CatchUp reports whether a night must be caught up, because no run worked between
	// Last and now or because the process of the last run died.
	CatchUp bool
}

// Look compares a schedule with the latest run in an archive; latest is the zero run if
// there is none. The run must be in its actual state: a run whose process died is
// interrupted and has no end. now is in the machine's time zone.
func Look(in Installed, latest archive.Run, now time.Time) State {
	var s State
	if !in.Daily {
		return s
	}
	s.Last, s.Next = in.At.Due(now, in.Kind)
	if s.Last.Before(in.Since) {
		s.Last = time.Time{}
		return s
	}
	if latest.State == archive.RunRunning {
		return s
	}
	for _, worked := range []time.Time{latest.Started, latest.Since, latest.Ended} {
		if !worked.Before(s.Last) {
			s.CatchUp = latest.State == archive.RunInterrupted && latest.Ended.IsZero()
			return s
		}
	}
	s.CatchUp, s.Missed = true, now.Sub(s.Last) >= grace
	return s
}
