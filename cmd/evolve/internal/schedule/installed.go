package schedule

import (
	"path/filepath"
	"slices"
	"time"

	"evolve/archive"
	"evolve/runtime/text"
)

// Installed is the schedule of a workspace as the machine has it.
type Installed struct {
	Kind Kind
	// System reports a unit of the system, not of the user.
	System bool
	// Files are where it stands: the units, or nothing for a crontab.
	Files []string
	// At is the time of day, where Daily reports that it is once a day; a person may have
	// changed that.
	At    At
	Daily bool
	// Program and Workspace are of its command; empty if that was changed beyond recognition.
	Program, Workspace string
	// Until is the time of day by which its nights end; empty if its command has none.
	Until string
	// Since is when it was installed.
	Since time.Time
	// packaged reports an instance of the units that a package of evolve brings.
	packaged bool
	// unit is the name of the units; empty for a crontab.
	unit string
	// parts are the texts of the files, or the lines of the crontab.
	parts []Part
}

func (in *Installed) setAt(text string) {
	at, err := ParseAt(text)
	in.At, in.Daily = at, err == nil
}

func (in *Installed) setCommand(words []string) {
	in.Program, in.Workspace, in.Until = words[0], after(words, "--workspace"), after(words, "--until")
}

// after returns the word after a flag.
func after(words []string, flag string) string {
	if at := slices.Index(words, flag); at >= 0 && at+1 < len(words) {
		return words[at+1]
	}
	return ""
}

// Log returns the command or the file that shows the output of nights of a workspace.
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

// grace is how long after it was due a night may take to appear in the archive.
const grace = 5 * time.Minute

// State is the state of a schedule at a moment.
type State struct {
	// Last is when the last night was due since the schedule was installed; zero if none was.
	// Next is when the next is.
	Last, Next time.Time
	// Missed reports that no run worked between Last and now, and that it had time to begin.
	Missed bool
	// CatchUp reports that no run did, or that the process of the last one died.
	CatchUp bool
}

// Look compares a schedule with the latest run of an archive, the zero run if there is none.
// Its state must be as it is: a run whose process died is interrupted and has no end. now is
// in the time zone of the machine.
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
