package cli

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize"

	"evolve/archive"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/batch/backup"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/text"
)

// backUp makes the backup after a nightly run. It returns nil if no backup is to be made or
// if the backup failed. A failure causes only a warning, because the run itself is already
// on disk.
func backUp(ctx context.Context, sh *shell, w *workspace.Workspace, a *archive.Archive, s batch.Summary) *backup.Backup {
	if w.Settings.Backup.Keep == 0 || s.Run.Exit == exit.Interrupted {
		return nil
	}
	b := backup.Backups{Dir: w.BackupDir(), Keep: w.Settings.Backup.Keep, State: w.StateDir()}
	err := workspace.CheckState(w.Root)
	var made backup.Backup
	if err == nil {
		made, err = b.Write(ctx, a, s.Run.Number, sh.Now())
	}
	if err != nil {
		sh.eprintf("warning: run %s is recorded, but has no backup: %s\n", s.Run.ID, text.Visible(err.Error()))
		return nil
	}
	return &made
}

// backupWords describes the last backup and, if the latest run made no backup, the reason
// (fault).
func backupWords(s backup.State) (last, fault string) {
	last = "none yet: the next night makes a backup"
	if s.Last != nil {
		last = fmt.Sprintf("%s, after night %d (%s)", s.Last.Time.Local().Format("2 Jan 2006 15:04"), s.Last.Night, humanize.IBytes(uint64(s.Last.Bytes)))
	}
	if s.Fault != nil {
		fault = fmt.Sprintf("night %d made no backup: %s; the last backup: %s", s.Fault.Night, text.Visible(s.Fault.Reason), orElse(last, text.Visible(s.Trouble), s.Trouble == ""))
	}
	if s.Fault == nil && s.Trouble != "" {
		fault = text.Visible(s.Trouble)
	}
	return last, fault
}

// printBackup prints the last backup, or why the latest run made none.
func printBackup(con *console, s backup.State) {
	last, fault := backupWords(s)
	line := orElse(fault, last, fault != "")
	if s.Last == nil && fault == "" {
		return
	}
	con.printf("\nbackup  %s\n", line)
}
