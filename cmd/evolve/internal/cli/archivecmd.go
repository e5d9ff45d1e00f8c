package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/dustin/go-humanize"
	"github.com/google/renameio/v2"
	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
)

func archiveCommand(sh *shell) *cli.Command {
	var csv bool
	return &cli.Command{
		Name: "archive", Usage: "the recorded data: counts, checks, export, import, backups and repair",
		Subcommands: []*cli.Command{
			{
				Name: "stats", Usage: "count the records of each kind",
				Action: func(c *cli.Context) error { return archiveStats(sh, c) },
			},
			{
				Name: "check", Usage: "read every record and verify the ledger",
				Action: func(c *cli.Context) error { return archiveCheck(sh, c) },
			},
			{
				Name: "export", Usage: "export everything as JSONL, or the evaluations as CSV", ArgsUsage: "[FILE]",
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "csv", Destination: &csv, Usage: "print the evaluations as CSV"}},
				Action: func(c *cli.Context) error { return archiveExport(sh, c, csv) },
			},
			{
				Name: "import", Usage: "read an export into a workspace without an archive", ArgsUsage: "FILE",
				Action: func(c *cli.Context) error { return archiveImport(sh, c) },
			},
			archiveBackupCommand(sh),
			archiveRestoreCommand(sh),
			archiveRepairCommand(sh),
			archiveGCCommand(sh),
		},
	}
}

func archiveStats(sh *shell, c *cli.Context) error {
	return reading(sh, c, func(_ string, a *archive.Archive) error {
		s, err := a.Stats(c.Context)
		if err != nil {
			return err
		}
		if sh.json {
			return sh.printJSON(s)
		}
		for _, l := range []struct {
			name  string
			count int
		}{
			{"runs", s.Runs},
			{"variants", s.Variants},
			{"evaluations", s.Evaluations},
			{"transcripts", s.Transcripts},
			{"proposals", s.Proposals},
			{"decisions", s.Decisions},
			{"ledger entries", s.Ledger},
			{"exposures", s.Exposures},
			{"candidates", s.Candidates},
			{"mutations", s.Mutations},
			{"change requests", s.Requests},
			{"turns", s.Turns},
			{"sessions", s.Sessions},
			{"experiences", s.Experiences},
		} {
			sh.printf("%-16s %s\n", l.name, humanize.Comma(int64(l.count)))
		}
		_, err = fmt.Fprintf(sh.stdout, "%-16s %s\n", "on disk", humanize.IBytes(uint64(s.Bytes)))
		return err
	})
}

func archiveCheck(sh *shell, c *cli.Context) error {
	return reading(sh, c, func(_ string, a *archive.Archive) error {
		if err := a.Check(c.Context); err != nil {
			return err
		}
		return sh.result(map[string]any{"sound": true}, "sound: every record can be read, the indexes agree, and the ledger is intact\n")
	})
}

// archiveExport writes an export to a file, atomically, or to standard output.
func archiveExport(sh *shell, c *cli.Context, csv bool) error {
	name := c.Args().First()
	toStdout := name == "" || name == "-"
	if toStdout && sh.json {
		return exit.Errorf(exit.Usage, "leave --json out, or name a FILE", "an export on standard output is many JSON lines, not one value")
	}
	return inspecting(sh, c, func(_ string, a *archive.Archive) error {
		write := func(ctx context.Context, w io.Writer) error {
			if csv {
				return a.ExportCSV(ctx, w)
			}
			return a.Export(ctx, w)
		}
		if toStdout {
			out := bufio.NewWriter(unfolded(sh.stdout))
			return errors.Join(write(c.Context, out), out.Flush())
		}
		path := sh.abs(name)
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return exit.Misuse(fmt.Errorf("%s is a folder; name a file in it", name))
		}
		f, err := renameio.NewPendingFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return exit.Misuse(fmt.Errorf("the folder of %s does not exist", name))
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
		defer func() { _ = f.Cleanup() }()
		out := bufio.NewWriter(f)
		if err := errors.Join(write(c.Context, out), out.Flush()); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
		if err := f.CloseAtomicallyReplace(); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
		return sh.result(map[string]any{"file": path}, "written to %s\n", path)
	})
}
