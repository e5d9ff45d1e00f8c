package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
)

// backupStamp is the time format in the name of a backup.
const backupStamp = "20060102T150405Z"

// backupView is the output of `evolve archive backup --json` and `evolve archive restore
// --json`.
type backupView struct {
	File string `json:"file"`
	archive.Contents
}

func archiveBackupCommand(sh *shell) *cli.Command {
	var force bool
	return &cli.Command{
		Name: "backup", Usage: "copy the whole archive to a file", ArgsUsage: "FILE|FOLDER",
		Description: "Also works during a run: the copy is a snapshot of one moment. The file is written whole or not at all, " +
			"and only you can read it. If FOLDER is given, the file is named after the archive and the time. `evolve archive restore` reads it.",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "force", Destination: &force, Usage: "replace FILE"}},
		Action: func(c *cli.Context) error { return archiveBackup(sh, c, force) },
	}
}

func archiveBackup(sh *shell, c *cli.Context, force bool) error {
	name := c.Args().First()
	return reading(sh, c, func(_ string, a *archive.Archive) error {
		path := sh.abs(name)
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			id, err := a.ID(c.Context)
			if err != nil {
				return err
			}
			path = filepath.Join(path, "archive-"+id+"-"+sh.Now().UTC().Format(backupStamp)+".backup")
		}
		held, err := a.BackupFile(c.Context, path, force)
		switch {
		case errors.Is(err, fs.ErrExist):
			return exit.Errorf(exit.Usage, "--force replaces it", "%s exists", name)
		case errors.Is(err, fs.ErrNotExist):
			return exit.Misuse(fmt.Errorf("the folder of %s does not exist", name))
		case err != nil:
			return fmt.Errorf("writing %s: %w", name, err)
		}
		sh.stands = "the backup is written to " + path
		if sh.json {
			return sh.printJSON(backupView{path, held})
		}
		return printContents(sh.console, "written to "+path, held)
	})
}

// printContents shows what a backup holds, after a line that describes what was done with
// the backup.
func printContents(con *console, done string, held archive.Contents) error {
	head := "empty"
	if held.Head != "" {
		head = fmt.Sprintf("entry %d, %s", held.Ledger, held.Head)
	}
	_, err := fmt.Fprintf(con.stdout, "%s (%s)\n  holds   %s, %s, %s, %s\n  ledger  %s\n", done, humanize.IBytes(uint64(held.Bytes)),
		count(held.Runs, "run"), count(held.Evaluations, "evaluation"), count(held.Transcripts, "transcript"), count(held.Proposals, "proposal"), head)
	return err
}
