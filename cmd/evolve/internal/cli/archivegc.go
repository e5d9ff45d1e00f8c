package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	foreign "evolve/runtime/text"
)

// gcView is the output of `evolve archive gc --json`.
type gcView struct {
	archive.Removed
	DryRun bool `json:"dry_run"`
}

func archiveGCCommand(sh *shell) *cli.Command {
	var dry bool
	return &cli.Command{
		Name: "gc", Usage: "remove old transcripts and evaluations, as `keep` in evolve.yaml specifies",
		Description: "If evolve.yaml has `keep`, each night also removes old transcripts and evaluations at its end. Proposals that are open, adopted or rolled back, or were refused in the last 90 days, keep their evidence; the ledger, the results, the variants, and the evaluations of an agent's latest 30 nights are always kept. The kept records are copied and checked, and replace the archive in one step.",
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "dry-run", Destination: &dry, Usage: "show what would be removed, and change nothing"}},
		Action:      func(c *cli.Context) error { return archiveGC(sh, c, dry) },
	}
}

func retention(w *workspace.Workspace) archive.Retention {
	return archive.Retention{Nights: w.Settings.Keep.Nights, Bytes: w.Settings.Keep.Size}
}

func archiveGC(sh *shell, c *cli.Context, dry bool) error {
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	keep := retention(w)
	if keep == (archive.Retention{}) {
		return exit.Errorf(exit.Usage, "write for example `keep: {nights: 60}` there; `evolve help archive` lists the records that are always kept", "keep is not set in evolve.yaml, so everything is kept")
	}
	a, err := wire.ReadArchive(w.Root)
	if err != nil {
		return err
	}
	gone, err := a.Removable(c.Context, keep, sh.Now())
	err = errors.Join(err, a.Close())
	if err == nil && !dry {
		gone, err = collect(c.Context, sh, w.Root, keep, "evolve archive gc")
	}
	if err != nil {
		return gcFailure(err)
	}
	if !dry {
		sh.stands = removedWords(gone, dry)
	}
	return sh.result(gcView{gone, dry}, "%s\n", removedWords(gone, dry))
}

// collect removes the records that a retention setting does not keep.
func collect(ctx context.Context, sh *shell, root string, keep archive.Retention, owner string) (archive.Removed, error) {
	return rewritten(sh, root, owner, func(opts archive.GCOptions) (archive.Removed, error) {
		return archive.GC(ctx, wire.ArchiveDir(root), keep, opts)
	})
}

// rewritten runs a function that rewrites the store, and signs the entry that it adds to the
// ledger.
func rewritten(sh *shell, root, owner string, rewrite func(archive.GCOptions) (archive.Removed, error)) (archive.Removed, error) {
	n, _ := sh.Notary(root)
	opts := archive.GCOptions{Options: archive.Options{Owner: owner, Now: sh.Now}}
	if n != nil {
		opts.Notary = n
	}
	var gone archive.Removed
	err := sh.WhileHeld(func() (err error) {
		gone, err = rewrite(opts)
		return err
	})
	if err != nil || n == nil || gone.After == 0 {
		return gone, err
	}
	n.Own = true
	a, err := sh.OpenSigned(root, owner, n)
	if err == nil {
		err = a.Close()
	}
	return gone, err
}

// gcFailure adds a hint to a file system error.
func gcFailure(err error) error {
	var locked *archive.LockedError
	switch {
	case errors.As(err, &locked):
		return locked
	case errors.Is(err, errors.ErrUnsupported):
		return exit.Errorf(exit.Infrastructure, "move the workspace to a local disk; nothing was changed", "%w", err)
	}
	return err
}

// removedWords describes the records that were removed or, if dry is set, that would be
// removed.
func removedWords(r archive.Removed, dry bool) string {
	text := "nothing to remove"
	if r.Any() {
		text = fmt.Sprintf("%s %s of transcripts and evaluations: %s and %s of %s", orElse("would remove", "removed", dry),
			humanize.IBytes(uint64(r.Records)), count(r.Transcripts, "transcript"), count(r.Evaluations, "evaluation"), count(len(r.Nights), "night"))
	}
	if r.Turns > 0 {
		text += ", and the transcripts of " + count(r.Turns, "turn")
	}
	if r.Questions > 0 {
		text += ", and " + count(r.Questions, "question")
	}
	if r.After > 0 {
		text += fmt.Sprintf("; the archive took up %s and now takes up %s", humanize.IBytes(uint64(r.Before)), humanize.IBytes(uint64(r.After)))
	}
	if r.Over {
		text += "; the records that must be kept take more space than keep.size"
	}
	return text
}

// keepHouse applies the retention settings in evolve.yaml after a nightly run. The
// archive must be closed. A failure is a warning: the next run tries again.
func keepHouse(ctx context.Context, sh *shell, w *workspace.Workspace, s batch.Summary, quiet bool) {
	keep := retention(w)
	if keep == (archive.Retention{}) || s.Run.Exit == exit.Interrupted {
		return
	}
	gone, err := collect(ctx, sh, w.Root, keep, runOwner)
	switch {
	case err != nil:
		sh.eprintf("warning: no old records were removed after run %s: %s\n", s.Run.ID, foreign.Visible(err.Error()))
	case gone.Over:
		sh.eprintf("warning: %s\n", removedWords(gone, false))
	case gone.Any() && !quiet:
		sh.eprintf("%s\n", removedWords(gone, false))
	}
}
